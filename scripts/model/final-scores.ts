/**
 * Fits the scores of whole searches, and writes them as `final` into the `calibration.json` of a model folder, whose other maps
 * `calibrate.ts` has written before.
 *
 *     bun scripts/model/final-scores.ts [model folder] [--folder FOLDER …] [--dry-run]
 *
 * The demo catalogue, the drawn one and each folder of labelled pictures (see `bench/quality.ts`) are indexed with and without
 * their metadata, and asked by kind, with the vote of the first hits: with words, with pictures, and with both in either way; also for what they do not have: kinds and
 * pictures of the other sets, and words that mean nothing. The first five hits of each answer are right or wrong. A logistic regression over
 * their log-odds, in which each catalogue and both classes weigh the same, gives the map: a score of 0.5 is as often right as wrong.
 *
 * Two pictures of one product at different sizes must still score 0.97, so the slope of pictures is never below what that takes.
 */
import './silent.ts'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { toScore } from '../../src/features/discovery/search/score.ts'
import type { Calibration, FinalKind, FinalMap, LogisticMap } from '../../src/platform/embedder/embedder.ts'
import { readModelFiles } from '../../src/platform/embedder/model-files.ts'
import { bundledModelDir } from '../../src/platform/native/model-folder.ts'
import { median, printTable } from '../bench/parts/statistics.ts'
import { loadModels, openShop } from '../bench/quality/offline.ts'
import { type LabelledSet, readDemoSet, readDrawnSet, readFolderSet } from '../bench/quality/sets.ts'
import type { Shop } from '../bench/quality/shops.ts'
import { listTasks, type Question } from '../bench/quality/tasks.ts'

const TASKS: Partial<Record<string, FinalKind>> = {
  'words: kind': 'text',
  'picture: same kind': 'picture',
  'picture + kind': 'hybrid',
  'picture + kind: fusion': 'fusion',
}
const SHOPS: readonly Shop[] = ['none', 'all']
const HITS = 5
/** Words that mean nothing; their letters look like those of words. */
const NONSENSE = ['zxqv plomb', 'feltrin', 'kortas bilusor', 'gribble vantoor', 'wibblefritz', 'asdf qwer']
const ABSENT = ['phone', 'blender', 'drill', 'toaster', 'laptop', 'hammer', 'dog food', 'violin', 'bicycle']
/** Foreign pictures for each set. */
const FOREIGN = 40

const { values: flags, positionals } = parseArgs({
  allowPositionals: true,
  options: { folder: { type: 'string', multiple: true, default: [] }, 'dry-run': { type: 'boolean' } },
})
const modelDir = positionals[0] ?? bundledModelDir()
const { final: present = {}, ...plain } = readModelFiles(modelDir).calibration
const models = await loadModels(modelDir)
const sets = [await readDemoSet(), await readDrawnSet(), ...flags.folder.map(readFolderSet)]

/** The log-odds of the hits of one kind of search in one catalogue. */
interface Sample {
  source: string
  right: number[]
  wrong: number[]
  /** The first hits of questions without a right answer; among the wrong ones, too. */
  unlike: number[]
}

const samples: Record<FinalKind, Sample[]> = { text: [], picture: [], hybrid: [], fusion: [] }
for (const set of sets) for (const shop of SHOPS) await collect(set, shop)

/** Where words take part, scores rise slowly from 0.73 on; see `FinalMap`. */
const KNEES: Partial<Record<FinalKind, number>> = { text: 1, hybrid: 1, fusion: 1 }

const final: Partial<Record<FinalKind, FinalMap>> = {}
const HEAD = ['right', 'wrong', 'unlike, first', '9 of 10 below']
const rows = [['search', 'catalogue', ...HEAD, ...HEAD.map((name) => `now: ${name}`)]]
for (const [kind, found] of Object.entries(samples) as [FinalKind, Sample[]][]) {
  const map = { ...round(fit(found)), ...(KNEES[kind] !== undefined && { knee: KNEES[kind] }) }
  final[kind] = map
  for (const { source, right, wrong, unlike } of found) {
    const odds = [median([...right]), median([...wrong]), median([...unlike]), quantile(unlike, 0.9)]
    const scoresBy = (by: FinalMap) => odds.map((one) => toScore(one, { ...by, ceiling: 1 }).toFixed(2))
    rows.push([kind, source, ...scoresBy(map), ...scoresBy(present[kind] ?? { slope: 1, midpoint: 0 })])
  }
}
console.log('Medians of scores')
printTable(rows)
console.log(JSON.stringify(final))
if (!flags['dry-run']) {
  const calibration: Calibration = { ...plain, final }
  await Bun.write(join(modelDir, 'calibration.json'), `${JSON.stringify(calibration, null, 2)}\n`)
}
process.exit(0)

async function collect(set: LabelledSet, shop: Shop): Promise<void> {
  const ask = await openShop(set, shop, models)
  const source = `${set.name}, ${shop}`
  for (const { name, questions } of [...(await listTasks(set)), ...listUnlike(set)]) {
    const kind = TASKS[name]
    if (!kind) continue
    const sample = samples[kind].find((known) => known.source === source) ?? {
      ...{ source, right: [], wrong: [], unlike: [] },
    }
    if (!samples[kind].includes(sample)) samples[kind].push(sample)
    for (const question of questions) {
      const hits = (await ask(question, plain)).slice(0, HITS)
      for (const { id, odds } of hits) (question.right.has(id) ? sample.right : sample.wrong).push(odds)
      if (question.right.size === 0 && hits[0]) sample.unlike.push(hits[0].odds)
    }
  }
}

/** Questions for what a set does not have. */
function listUnlike(set: LabelledSet): { name: string; questions: Question[] }[] {
  const own = new Set(set.catalogue.map(({ category }) => singular(category)))
  const isForeign = (category: string) => !own.has(singular(category))
  const others = sets.filter((other) => other !== set)
  const kinds = new Set(others.flatMap(({ catalogue }) => catalogue.map(({ category }) => category)))
  const words = [...NONSENSE, ...ABSENT, ...kinds].filter(isForeign)
  const pictures = others.flatMap(({ queries }) =>
    queries.filter(({ category }) => isForeign(category)).slice(0, FOREIGN),
  )
  const right = new Set<string>()
  const images = pictures.map(({ bytes }) => Buffer.from(bytes).toString('base64'))
  return [
    {
      name: 'words: kind',
      questions: words.map((query) => ({ path: '/v1/search/text', body: { query }, right })),
    },
    {
      name: 'picture: same kind',
      questions: images.map((image) => ({ path: '/v1/search/url', body: { image }, right })),
    },
    ...(['hybrid', 'fusion'] as const).map((way) => ({
      name: way === 'hybrid' ? 'picture + kind' : 'picture + kind: fusion',
      questions: images.map((image, n) => ({
        ...{ path: `/v1/search/${way}`, right },
        body: { image, query: pictures[n]?.category.toLowerCase() },
      })),
    })),
  ]
}

function singular(category: string): string {
  return category.toLowerCase().replaceAll('-', ' ').replace(/s$/, '')
}

/** A logistic regression by Newton's method, in which every source and both classes weigh the same. */
function fit(found: readonly Sample[]): LogisticMap {
  const points = found.flatMap(({ right, wrong }) => [
    ...right.map((odds) => ({ odds, isRight: 1, weight: 1 / right.length })),
    ...wrong.map((odds) => ({ odds, isRight: 0, weight: 1 / wrong.length })),
  ])
  // From a slope of 1 the steps run away where the classes lie far apart.
  let [slope, shift] = [0, 0]
  for (let round = 0; round < 100; round++) {
    let [gradient, gradientShift, a, b, c] = [0, 0, 0, 0, 0]
    for (const { odds, isRight, weight } of points) {
      const chance = 1 / (1 + Math.exp(-(slope * odds + shift)))
      const error = weight * (isRight - chance)
      const spread = weight * chance * (1 - chance)
      gradient += error * odds
      gradientShift += error
      a += spread * odds * odds
      b += spread * odds
      c += spread
    }
    const scale = a * c - b * b
    slope += (c * gradient - b * gradientShift) / scale
    shift += (a * gradientShift - b * gradient) / scale
  }
  return { midpoint: -shift / slope, slope }
}

function quantile(values: readonly number[], share: number): number {
  return values.toSorted((a, b) => a - b)[Math.floor(share * (values.length - 1))] ?? Number.NaN
}

function round({ midpoint, slope }: LogisticMap): LogisticMap {
  const cut = (value: number) => Math.round(value * 1_000) / 1_000
  return { midpoint: cut(midpoint), slope: cut(slope) }
}
