/**
 * Measures how well searches rank, through a running service, beside three simpler ways in the same run: without the vote of the
 * first hits (the first look), the plain cosine of the model's vectors, and BM25 over what the shop writes.
 *
 *     bun scripts/bench/quality.ts [--executable dist/lookalike] [--sets demo,drawn,small,street] [--folder FOLDER …]
 *       [--names all,german] [--tasks 'words|view'] [--body '{"category_boost":0}'] [--model FOLDER …] [--json FILE]
 *
 * The sets are the demo catalogue, a drawn one, the same with small products, a street of shops with several views of each
 * product, and any folder with a `labels.jsonl` of `{file, product_id, name, category, color, group}` or a `labels.csv` of
 * `file,label`. `--names` says what the shop writes about its products (`quality/shops.ts`), `--tasks` is a regular expression, and
 * `--body` adds fields to every request, so that two settings can be compared. With `--model A --model B` the service runs with
 * each, a further table has both side by side, and another says what scores mean with each of them: in what part of known pairs
 * the same picture reaches 0.97, and so on. The bundled model is `models/…`.
 *
 * P@10 is a mean over the questions of a task, capped at the number of right answers, with the 95 % interval of a bootstrap over
 * the questions; that of the difference pairs them. Questions of one kind are alike, so true intervals are somewhat wider. R@1 says
 * how often the first hit is right. The street takes 4 minutes of two cores for one sort of names, and the drawn set 2.
 */
import '../model/silent.ts'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { withInstall } from '../../src/commands/service/with-install.ts'
import { loadConfig } from '../../src/config.ts'
import { createPictureDecoder } from '../../src/platform/embedder/child/decoder.ts'
import { loadTextModel, loadVisionModel } from '../../src/platform/embedder/child/model.ts'
import { readTreatment } from '../../src/platform/embedder/child/treatment.ts'
import { MODEL_DIR } from './parts/options.ts'
import { readToken, startMeasuredService } from './parts/process.ts'
import { printTable } from './parts/statistics.ts'
import { type Anchored, type Call, measureAnchors, tabulateAnchors } from './quality/anchors.ts'
import { createBm25, rankByVector } from './quality/baselines.ts'
import { average, judge, type Quality } from './quality/metrics.ts'
import { type LabelledPicture, type LabelledSet, readSets } from './quality/sets.ts'
import { describe, readShops, type Shop } from './quality/shops.ts'
import { showDifference, showMean } from './quality/table.ts'
import { listTasks, type Question, type Task } from './quality/tasks.ts'

const { values: flags } = parseArgs({
  options: {
    executable: { type: 'string' },
    sets: { type: 'string', default: 'drawn,street' },
    folder: { type: 'string', multiple: true, default: [] },
    body: { type: 'string', default: '{}' },
    model: { type: 'string', multiple: true, default: [MODEL_DIR] },
    names: { type: 'string', default: 'all' },
    tasks: { type: 'string', default: '' },
    json: { type: 'string' },
  },
})
const extra = JSON.parse(flags.body) as Record<string, unknown>

/** The ways to rank that are compared. */
type Way = 'second_look' | 'first_look' | 'vector' | 'bm25'
type Judged = Record<Way, Quality[]>

const HEAD = [
  ...['task', 'n', 'first look P@10', 'second look P@10', 'difference', 'BM25 P@10', 'vector'],
  ...['R@1 first', 'second', 'BM25'],
]

/** A model, and what was measured with it. */
interface Contestant {
  name: string
  dir: string
  eyes: Eyes
}

interface Outcome {
  name: string
  /** By the name of the task. */
  tasks: Map<string, Judged>
  anchored: Anchored
}

const results: Record<string, Partial<Record<Way, Quality>>> = {}
const contestants: Contestant[] = []
for (const folder of flags.model) {
  const dir = resolve(folder)
  contestants.push({ name: basename(dir), dir, eyes: await openEyes(dir) })
}
for (const set of await readSets(flags.sets, flags.folder)) {
  for (const shop of readShops(flags.names)) {
    const outcomes: Outcome[] = []
    for (const contestant of contestants) outcomes.push(await measure(set, shop, contestant))
    const [first, second] = outcomes
    if (first && second) compare(`${set.name}, names ${shop}`, first, second)
    console.log(`\n${set.name}, names ${shop}: what scores mean`)
    printTable(tabulateAnchors(outcomes))
  }
}
if (flags.json) await Bun.write(flags.json, `${JSON.stringify(results, null, 2)}\n`)
process.exit(0)

async function measure(set: LabelledSet, shop: Shop, { name, dir, eyes }: Contestant): Promise<Outcome> {
  const folder = mkdtempSync(join(tmpdir(), 'lookalike-quality-'))
  try {
    const credentials = await withInstall(
      loadConfig({}, { 'data-dir': folder }),
      ({ setup }) => setup.run({ email: 'bench@shop.test', password: 'a long password', storeName: 'Bench' }),
      { mayMake: true },
    )
    const settings = { OFFLINE: '1', ...(dir !== MODEL_DIR && { MODEL_DIR: dir }) }
    await using service = await startMeasuredService(folder, flags.executable, settings)
    const token = await readToken(service.address, credentials)
    const call: Call = async (path, body) => {
      const response = await fetch(service.address + path, {
        method: 'POST',
        headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
        body: JSON.stringify(body),
      })
      return { status: response.status, body: (await response.json()) as Record<string, unknown> }
    }
    const vectors = await index(set, shop, call, eyes)
    const rankByWords = createBm25(
      set.catalogue.map((product) => {
        const { name = '', category = '', color_name = '' } = describe(product, shop)
        return { productId: product.product_id, name: `${name} ${category} ${color_name}` }
      }),
    )
    const tasks = new Map<string, Judged>()
    for (const task of await listTasks(set, shop)) {
      if (!new RegExp(flags.tasks).test(task.name)) continue
      const judged = await ask(task, { call, eyes, vectors, rankByWords, articles: readArticles(set) })
      const label = `${contestants.length > 1 ? `${name}, ` : ''}${set.name}, ${shop}: ${task.name}`
      results[label] = Object.fromEntries(
        Object.entries(judged).flatMap(([way, all]) => (all.length > 0 ? [[way, average(all)]] : [])),
      )
      tasks.set(task.name, judged)
    }
    console.log(`\n${set.name}, names ${shop}, ${name}: ${set.catalogue.length} pictures; P@10 and R@1 in %`)
    const rows = [...tasks].map(([task, judged]) => [
      task,
      String(judged.second_look.length),
      ...showRow(judged),
    ])
    printTable([HEAD, ...rows])
    return { name, tasks, anchored: await measureAnchors(set, call) }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** Prints two models side by side, as the service ranks with each. */
function compare(title: string, first: Outcome, second: Outcome): void {
  const precisions = (judged: Judged) => judged.second_look.map(({ precisionAt10 }) => precisionAt10)
  const firsts = (judged: Judged) => (100 * average(judged.second_look).recallAt1).toFixed(1)
  const names = [first.name, second.name]
  const rows = [...first.tasks].flatMap(([task, one]) => {
    const other = second.tasks.get(task)
    if (!other) return []
    const [a, b] = [precisions(one), precisions(other)]
    return [
      [
        ...[task, String(a.length), showMean(a), showMean(b), showDifference(a, b)],
        ...[firsts(one), firsts(other)],
      ],
    ]
  })
  console.log(`\n${title}: ${names.join(' and ')} side by side`)
  printTable([
    [
      'task',
      'n',
      ...names.map((name) => `${name} P@10`),
      'difference',
      ...names.map((name) => `${name} R@1`),
    ],
    ...rows,
  ])
}

function showRow({ first_look, second_look, bm25, vector }: Judged): string[] {
  const precisions = (all: readonly Quality[]) => all.map(({ precisionAt10 }) => precisionAt10)
  const percent = (value: number) => (100 * value).toFixed(1)
  const firsts = [first_look, second_look, bm25]
  return [
    ...[showMean(precisions(first_look)), showMean(precisions(second_look))],
    ...[showDifference(precisions(first_look), precisions(second_look)), showMean(precisions(bm25))],
    percent(average(vector).precisionAt10),
    ...firsts.map((all) => (all.length > 0 ? percent(average(all).recallAt1) : '')),
  ]
}

function readArticles({ catalogue }: LabelledSet): Map<string, string> {
  return new Map(catalogue.map(({ product_id, article }) => [product_id, article]))
}

interface Shelf {
  call: Call
  eyes: Eyes
  vectors: { productId: string; vector: Float32Array }[]
  rankByWords: (query: string) => string[]
  /** By product_id. */
  articles: ReadonlyMap<string, string>
}

/** Puts the questions of a task to all ways. */
async function ask({ questions }: Task, shelf: Shelf): Promise<Judged> {
  const { call, eyes, vectors, rankByWords, articles } = shelf
  const judged: Judged = { second_look: [], first_look: [], vector: [], bm25: [] }
  for (const question of questions) {
    const { path, body, words, right, without, absent } = question
    const isThere = (id: string) => id !== without && !absent?.includes(articles.get(id) ?? '')
    const search = async (more: object) => {
      const answer = await call(path, { ...body, ...more, ...extra, analytics: false })
      if (answer.status !== 200) throw new Error(`${path}: ${JSON.stringify(answer.body)}`)
      const hits = answer.body['results'] as { product_id: string }[]
      return judge(hits.map(({ product_id }) => product_id).filter(isThere), right)
    }
    judged.second_look.push(await search({}))
    judged.first_look.push(await search({ second_look: false }))
    judged.vector.push(
      judge(rankByVector(await embedQuestion(question, eyes), vectors).filter(isThere), right),
    )
    if (words !== undefined) judged.bm25.push(judge(rankByWords(words).filter(isThere), right))
  }
  return judged
}

/** Indexes the catalogue by bulk. @returns the vectors that the comparison ranks by. */
async function index(
  { catalogue }: LabelledSet,
  shop: Shop,
  call: Call,
  eyes: Eyes,
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
    for (const { bytes } of [first, ...others])
      vectors.push({ productId, vector: await eyes.embedPicture(bytes) })
  }
  return vectors
}

type Eyes = Awaited<ReturnType<typeof openEyes>>

/** The model of a folder in this process. */
async function openEyes(dir: string) {
  const treatment = readTreatment(dir)
  const decode = createPictureDecoder(treatment)
  const vision = await loadVisionModel(dir, treatment.input, 1)
  const text = await loadTextModel(dir, 1)
  const seen = new Map<string, Promise<Float32Array>>()

  async function embedNow(bytes: Uint8Array): Promise<Float32Array> {
    const [vector] = await vision([await decode(bytes)])
    if (!vector) throw new Error('The model gave no vector')
    return vector
  }

  return {
    /** The vector of a picture, which is embedded once for all names. */
    embedPicture(bytes: Uint8Array): Promise<Float32Array> {
      const key = String(Bun.hash(bytes))
      const vector = seen.get(key) ?? embedNow(bytes)
      seen.set(key, vector)
      return vector
    },
    embedWords: async (words: string): Promise<Float32Array | undefined> =>
      (await text.embed([text.tokenize(words)]))[0],
  }
}

/** For words with a picture, the normalised sum of both vectors. */
async function embedQuestion({ words, picture }: Question, eyes: Eyes): Promise<Float32Array> {
  const ofWords = words === undefined ? undefined : await eyes.embedWords(words)
  const ofPicture = picture && (await eyes.embedPicture(picture))
  if (!ofWords || !ofPicture) return (ofWords ?? ofPicture) as Float32Array
  const sum = ofWords.map((value, at) => value + (ofPicture[at] as number))
  const length = Math.hypot(...sum)
  return sum.map((value) => value / length)
}
