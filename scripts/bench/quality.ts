/**
 * Measures how well searches rank, through a running service, beside three simpler ways in the same run: without the vote of the
 * first hits (the first look), the plain cosine of the model's vectors, and BM25 over the names of the products.
 *
 *     bun scripts/bench/quality.ts [--executable dist/lookalike] [--sets demo,drawn,small] [--folder FOLDER …]
 *       [--body '{"category_boost":0}'] [--names german] [--tasks words] [--json FILE]
 *
 * The sets are the demo catalogue, a larger catalogue drawn by our own code (and the same with
 * small products), and any folder with a `labels.jsonl` of
 * `{file, product_id, name, category, color, group}` or a `labels.csv` of `file,label`. Each figure is a mean over the questions of a
 * task: P@10 is capped at the number of right answers, R@5 says how often a right one is among the first five, nDCG@10 weighs
 * by place. `--body` adds fields to every request, so that two settings can be compared; `--names` says what the shop writes about its
 * products (`quality/shops.ts`): nothing, the category only, no colours, broad departments, or German words.
 */
import '../model/silent.ts'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { withInstall } from '../../src/commands/service/with-install.ts'
import { loadConfig } from '../../src/config.ts'
import { createPictureDecoder } from '../../src/platform/embedder/child/decoder.ts'
import { loadTextModel, loadVisionModel } from '../../src/platform/embedder/child/model.ts'
import { readTreatment } from '../../src/platform/embedder/child/treatment.ts'
import { MODEL_DIR } from './parts/options.ts'
import { readToken, startMeasuredService } from './parts/process.ts'
import { printTable } from './parts/statistics.ts'
import { createBm25, rankByVector } from './quality/baselines.ts'
import { average, judge, type Quality } from './quality/metrics.ts'
import {
  type LabelledPicture,
  type LabelledSet,
  readDemoSet,
  readDrawnSet,
  readFolderSet,
  readSmallSet,
} from './quality/sets.ts'
import { describe, readShop } from './quality/shops.ts'
import { listTasks, type Question } from './quality/tasks.ts'

const { values: flags } = parseArgs({
  options: {
    executable: { type: 'string' },
    sets: { type: 'string', default: 'demo,drawn' },
    folder: { type: 'string', multiple: true, default: [] },
    body: { type: 'string', default: '{}' },
    names: { type: 'string', default: 'all' },
    tasks: { type: 'string', default: '' },
    json: { type: 'string' },
  },
})
const shop = readShop(flags.names)
const extra = JSON.parse(flags.body) as Record<string, unknown>

const treatment = readTreatment(MODEL_DIR)
const decode = createPictureDecoder(treatment)
const vision = await loadVisionModel(MODEL_DIR, treatment.input, 1)
const text = await loadTextModel(MODEL_DIR, 1)

const wanted = flags.sets.split(',')
const sets: LabelledSet[] = [
  ...(wanted.includes('demo') ? [await readDemoSet()] : []),
  ...(wanted.includes('drawn') ? [await readDrawnSet()] : []),
  ...(wanted.includes('small') ? [await readSmallSet()] : []),
  ...flags.folder.map(readFolderSet),
]
const results: Record<string, Record<string, Quality>> = {}
for (const set of sets) await measure(set)
if (flags.json) await Bun.write(flags.json, `${JSON.stringify(results, null, 2)}\n`)
process.exit(0)

async function measure(set: LabelledSet): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'lookalike-quality-'))
  try {
    const credentials = await withInstall(
      loadConfig({}, { 'data-dir': folder }),
      ({ setup }) => setup.run({ email: 'bench@shop.test', password: 'a long password', storeName: 'Bench' }),
      { mayMake: true },
    )
    await using service = await startMeasuredService(folder, flags.executable, { OFFLINE: '1' })
    const token = await readToken(service.address, credentials)
    const call = async (path: string, body: unknown) => {
      const response = await fetch(service.address + path, {
        method: 'POST',
        headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
        body: JSON.stringify(body),
      })
      return { status: response.status, body: (await response.json()) as Record<string, unknown> }
    }
    const vectors = await index(set, call)
    const rankByName = createBm25(
      set.catalogue.map(({ product_id, name }) => ({ productId: product_id, name })),
    )
    const rows = [
      [
        'task',
        'questions',
        'P@10',
        'R@5',
        'nDCG@10',
        'first look P@10',
        'R@5',
        'nDCG',
        'vector P@10',
        'R@5',
        'nDCG',
        'BM25 P@10',
        'R@5',
        'nDCG',
      ],
    ]
    for (const { name, questions } of (await listTasks(set)).filter((task) =>
      task.name.includes(flags.tasks),
    )) {
      const own: Quality[] = []
      const once: Quality[] = []
      const plain: Quality[] = []
      const words: Quality[] = []
      for (const question of questions) {
        const keep = (id: string) => id !== question.without
        const ask = async (more: object) => {
          const answer = await call(question.path, { ...question.body, ...more, ...extra, analytics: false })
          if (answer.status !== 200) throw new Error(`${question.path}: ${JSON.stringify(answer.body)}`)
          const hits = answer.body['results'] as { product_id: string }[]
          return judge(hits.map(({ product_id }) => product_id).filter(keep), question.right)
        }
        own.push(await ask({}))
        once.push(await ask({ second_look: false }))
        plain.push(judge(rankByVector(await embedQuestion(question), vectors).filter(keep), question.right))
        if (question.words !== undefined) words.push(judge(rankByName(question.words), question.right))
      }
      const [service, firstLook, vector] = [average(own), average(once), average(plain)]
      results[`${set.name}: ${name}`] = {
        service,
        first_look: firstLook,
        vector,
        ...(words.length > 0 && { bm25: average(words) }),
      } as never
      rows.push([
        ...[name, String(questions.length), ...show(service), ...show(firstLook), ...show(vector)],
        ...(words.length > 0 ? show(average(words)) : ['', '', '']),
      ])
    }
    console.log(`\n${set.name}: ${set.catalogue.length} pictures, in %`)
    printTable(rows)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** Indexes the catalogue by bulk. @returns the vectors that the comparison ranks by. */
async function index(
  { catalogue }: LabelledSet,
  call: (path: string, body: unknown) => Promise<{ status: number; body: Record<string, unknown> }>,
): Promise<{ productId: string; vector: Float32Array }[]> {
  const vectors: { productId: string; vector: Float32Array }[] = []
  const pictures = Map.groupBy(catalogue, ({ product_id }) => product_id)
  for (const [productId, [first, ...others]] of pictures) {
    if (!first) continue
    const toUri = ({ bytes }: LabelledPicture) =>
      `data:image/jpeg;base64,${Buffer.from(bytes).toString('base64')}`
    const answer = await call('/v1/products', {
      product_id: productId,
      image_url: toUri(first),
      additional_image_urls: others.map(toUri),
      metadata: describe(first, shop),
    })
    if (answer.status !== 201) throw new Error(`A product was refused: ${JSON.stringify(answer.body)}`)
    for (const { bytes } of [first, ...others]) vectors.push({ productId, vector: await embedPicture(bytes) })
  }
  return vectors
}

async function embedPicture(bytes: Uint8Array): Promise<Float32Array> {
  const [vector] = await vision([await decode(bytes)])
  if (!vector) throw new Error('The model gave no vector')
  return vector
}

/** For words with a picture, the normalised sum of both vectors. */
async function embedQuestion({ words, picture }: Question): Promise<Float32Array> {
  const [ofWords] = words === undefined ? [] : await text.embed([text.tokenize(words)])
  const ofPicture = picture && (await embedPicture(picture))
  if (!ofWords || !ofPicture) return (ofWords ?? ofPicture) as Float32Array
  const sum = ofWords.map((value, at) => value + (ofPicture[at] as number))
  const length = Math.hypot(...sum)
  return sum.map((value) => value / length)
}

function show({ precisionAt10, recallAt5, ndcgAt10 }: Quality): string[] {
  return [precisionAt10, recallAt5, ndcgAt10].map((value) => (100 * value).toFixed(1))
}
