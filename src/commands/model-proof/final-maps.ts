import type { Calibration, FinalKind, FinalMap, LogisticMap } from '../../platform/embedder/embedder.ts'
import type { KnownPicture, KnownSet } from './pictures.ts'
import { type Eyes, openShop, type ShopQuestion } from './shop.ts'

/** The log-odds of the hits of one kind of search in one catalogue. */
export interface OddsSample {
  right: number[]
  wrong: number[]
}

interface KnownQuestion extends ShopQuestion {
  right: ReadonlySet<string>
}

const HITS = 5
/** Words that mean nothing; their letters look like those of words. */
const NONSENSE = ['zxqv plomb', 'feltrin', 'kortas bilusor', 'gribble vantoor', 'wibblefritz', 'asdf qwer']
const ABSENT = [
  ...['phone', 'blender', 'drill', 'toaster', 'laptop', 'hammer', 'dog food', 'violin', 'bicycle'],
]
/** Foreign pictures for each set. */
const FOREIGN = 24
/** A rare kind is asked for by its picture, and not by its name. */
const RARE_MAX = 2
/** Where words take part, scores rise slowly from 0.73 on; see `FinalMap`. */
const KNEES: Partial<Record<FinalKind, number>> = { text: 1, hybrid: 1, fusion: 1 }

/**
 * Fits the scores of whole searches. The sets are indexed with and without their metadata, and asked by kind, with the vote of the
 * first hits: with words, with pictures, and with both in either way; also for what they do not have. The first five hits of each
 * answer are right or wrong. A logistic regression over their log-odds, in which each catalogue and both classes weigh the same,
 * gives the map: a score of 0.5 is as often right as wrong.
 *
 * @param trusts whether the model tells anything apart by what such a search is for; else no score is raised.
 */
export async function fitFinals(
  sets: readonly KnownSet[],
  eyes: Eyes,
  plain: Calibration,
  trusts: Readonly<Record<FinalKind, boolean>>,
): Promise<NonNullable<Calibration['final']>> {
  const samples: Record<FinalKind, OddsSample[]> = { text: [], picture: [], hybrid: [], fusion: [] }
  for (const set of sets)
    for (const writes of [false, true]) await collect(set, sets, writes, eyes, plain, samples)
  const final: Partial<Record<FinalKind, FinalMap>> = {}
  for (const [kind, found] of Object.entries(samples) as [FinalKind, OddsSample[]][]) {
    const knee = KNEES[kind]
    const map = fitOdds(found)
    if (map) final[kind] = { ...lower(map, trusts[kind]), ...(knee !== undefined && { knee }) }
  }
  return final
}

const lower = (map: LogisticMap, isTrusted: boolean): LogisticMap =>
  isTrusted ? map : { ...map, midpoint: Math.max(0, map.midpoint) }

async function collect(
  set: KnownSet,
  sets: readonly KnownSet[],
  writes: boolean,
  eyes: Eyes,
  plain: Calibration,
  samples: Record<FinalKind, OddsSample[]>,
): Promise<void> {
  const ask = await openSetShop(set, writes, eyes)
  for (const [kind, questions] of Object.entries(listQuestions(set, sets)) as [
    FinalKind,
    KnownQuestion[],
  ][]) {
    const sample: OddsSample = { right: [], wrong: [] }
    samples[kind].push(sample)
    for (const question of questions)
      for (const { id, odds } of (await ask(question, plain)).slice(0, HITS))
        (question.right.has(id) ? sample.right : sample.wrong).push(odds)
  }
}

/** @param writes whether the shop writes anything about its products. */
export const openSetShop = ({ catalogue }: KnownSet, writes: boolean, eyes: Eyes) =>
  openShop(
    catalogue.map((picture) => ({
      ...{ productId: picture.productId, article: picture.productId, bytes: picture.bytes },
      metadata: writes ? describe(picture) : {},
    })),
    eyes,
  )

function describe({ name, kind, color, group }: KnownPicture): Record<string, string> {
  const all = { name, category: kind, color_name: color, variant_group: group }
  return Object.fromEntries(Object.entries(all).filter(([, value]) => value !== ''))
}

const toBase64 = (bytes: Uint8Array): string => Buffer.from(bytes).toString('base64')
const singular = (kind: string): string => kind.replace(/s$/, '')
const NOTHING: ReadonlySet<string> = new Set()

/** What a set is asked, by the kind of search; a question without a right answer is for what it does not have. */
export function listQuestions(set: KnownSet, sets: readonly KnownSet[]): Record<FinalKind, KnownQuestion[]> {
  const rightOf = (kind: string, without = ''): ReadonlySet<string> =>
    new Set(
      set.catalogue
        .filter((one) => one.kind === kind && one.productId !== without)
        .map(({ productId }) => productId),
    )
  const kinds = [...new Set(set.catalogue.map(({ kind }) => kind))]
  const own = new Set(kinds.map(singular))
  const isForeign = (kind: string) => !own.has(singular(kind))
  const others = sets.filter((other) => other !== set)
  const foreignKinds = [...new Set(others.flatMap(({ catalogue }) => catalogue.map(({ kind }) => kind)))]
  const foreignWords = [...NONSENSE, ...ABSENT, ...foreignKinds].filter(isForeign)
  const foreign = others.flatMap(({ queries }) =>
    queries.filter(({ kind }) => isForeign(kind)).slice(0, FOREIGN),
  )
  const queries = [
    ...set.queries.map((query) => ({ query, right: rightOf(query.kind, query.productId) })),
    ...foreign.map((query) => ({ query, right: NOTHING })),
  ]
  const byPicture = (path: string, hasWords: boolean): KnownQuestion[] =>
    queries.map(({ query: { bytes, kind, productId }, right }) => ({
      ...{ path, right, without: productId },
      body: { image: toBase64(bytes), ...(hasWords && { query: kind }) },
    }))
  return {
    text: [
      ...kinds
        .map((query) => ({ path: '/v1/search/text', body: { query }, right: rightOf(query) }))
        .filter(({ right }) => right.size > RARE_MAX),
      ...foreignWords.map((query) => ({ path: '/v1/search/text', body: { query }, right: NOTHING })),
    ],
    picture: byPicture('/v1/search/url', false),
    hybrid: byPicture('/v1/search/hybrid', true),
    fusion: byPicture('/v1/search/fusion', true),
  }
}

/** Between these a map still orders scores as the odds do; beyond, the regression has found nothing or everything. */
const SLOPE = { min: 0.3, max: 2 }

/**
 * A logistic regression by Newton's method, in which every source and both classes weigh the same.
 *
 * @returns undefined where right and wrong hits do not differ, as with a model that knows nothing.
 */
export function fitOdds(found: readonly OddsSample[]): LogisticMap | undefined {
  const points = found
    .filter(({ right, wrong }) => right.length > 0 && wrong.length > 0)
    .flatMap(({ right, wrong }) => [
      ...right.map((odds) => ({ odds, isRight: 1, weight: 1 / right.length })),
      ...wrong.map((odds) => ({ odds, isRight: 0, weight: 1 / wrong.length })),
    ])
  if (points.length === 0) return undefined
  // From a slope of 1 the steps run away where the classes lie far apart.
  let [slope, shift] = [0, 0]
  for (let round = 0; round < 100; round++) {
    // A little resistance keeps a set that is told apart without a fault from an endless slope.
    let [gradient, gradientShift, a, b, c] = [-RESISTANCE * slope, 0, RESISTANCE, 0, 0]
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
    if (!(Math.abs(scale) > 1e-12)) break
    slope += (c * gradient - b * gradientShift) / scale
    shift += (a * gradientShift - b * gradient) / scale
  }
  if (!(Number.isFinite(slope) && Number.isFinite(shift) && slope > 0)) return undefined
  const bounded = Math.min(SLOPE.max, Math.max(SLOPE.min, slope))
  // The odds that are as often right as wrong stay where they are.
  return { midpoint: cut(-shift / slope), slope: cut(bounded) }
}

const RESISTANCE = 0.001

const cut = (value: number): number => Math.round(value * 1_000) / 1_000
