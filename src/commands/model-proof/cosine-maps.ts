import sharp from 'sharp'
import { calibrate } from '../../core/calibrate.ts'
import type { LogisticMap } from '../../platform/embedder/embedder.ts'
import type { Proof } from '../../platform/models/proof.ts'
import type { KnownPicture, KnownSet } from './pictures.ts'
import type { Eyes } from './shop.ts'
import { dot, median, quantile, shareAbove, toLogOdds } from './statistics.ts'

/** Cosines of the pairs of one set, by what is known of them. */
export interface Pairs {
  /** A picture and itself at half the size. */
  halves: number[]
  sameKind: number[]
  otherKind: number[]
  /** The words for a kind, and a picture of it. */
  ownWords: number[]
  otherWords: number[]
}

/** Of larger sets every so manieth picture is halved. */
const HALVES_MAX = 40

/** Measures the pairs of a set. Its pictures resemble each other in style, so pairs of two sets say nothing. */
export async function measurePairs({ catalogue }: Pick<KnownSet, 'catalogue'>, eyes: Eyes): Promise<Pairs> {
  const pairs: Pairs = { halves: [], sameKind: [], otherKind: [], ownWords: [], otherWords: [] }
  const vectors: Float32Array[] = []
  const every = halvedEvery(catalogue)
  for (const [n, { bytes }] of catalogue.entries()) {
    const { vector } = await eyes.see(bytes)
    vectors.push(vector)
    if (n % every === 0) pairs.halves.push(dot(vector, (await eyes.see(await halve(bytes))).vector))
  }
  const vectorAt = (n: number) => vectors[n] as Float32Array
  for (const [i, a] of catalogue.entries())
    for (let j = i + 1; j < catalogue.length; j++) {
      const isSame = a.kind === (catalogue[j] as KnownPicture).kind
      ;(isSame ? pairs.sameKind : pairs.otherKind).push(dot(vectorAt(i), vectorAt(j)))
    }
  for (const kind of new Set(catalogue.map((item) => item.kind))) {
    const { vector } = await eyes.read(kind)
    for (const [i, item] of catalogue.entries())
      (item.kind === kind ? pairs.ownWords : pairs.otherWords).push(dot(vector, vectorAt(i)))
  }
  return pairs
}

const halvedEvery = ({ length }: readonly unknown[]): number => Math.ceil(length / HALVES_MAX)

/** How many pictures {@link measurePairs} looks at. */
export const countPairPictures = ({ catalogue }: Pick<KnownSet, 'catalogue'>): number =>
  catalogue.length + Math.ceil(catalogue.length / halvedEvery(catalogue))

async function halve(bytes: Uint8Array): Promise<Uint8Array> {
  const { width } = await sharp(bytes).metadata()
  const half = sharp(bytes).resize(Math.round(width / 2))
  return new Uint8Array(await half.jpeg({ quality: 80 }).toBuffer())
}

/** A model that is worse cannot be fitted to what the pairs are: chance is 0.5, and even a poor one reaches 0.75. */
const TOLD_APART_MIN = 0.62

/**
 * The map for two pictures goes through two points: the same picture at half the size scores 0.97 in the set where nine of ten are
 * more alike, and pictures of a kind score 0.5 at the mean of the sets' medians.
 *
 * A model that does not tell kinds apart gets the same, but no pair of different pictures scores more than 0.5.
 */
export function fitPictures(sets: readonly Pairs[]): LogisticMap {
  const same = Math.min(...sets.map(({ halves }) => quantile(halves, 0.1)))
  const plausible = tellsPictures(sets)
    ? mean(sets.map(({ sameKind }) => median(sameKind)))
    : Math.max(...sets.map(({ sameKind, otherKind }) => quantile([...sameKind, ...otherKind], 0.99)))
  return throughPoints([plausible, 0.5], [Math.max(same, plausible + GAP_MIN), 0.97])
}

/** For words, a line through the medians: its own kind scores 0.8, another kind 0.05. */
export function fitWords(sets: readonly Pairs[]): LogisticMap {
  if (!tellsWords(sets)) {
    const all = sets.flatMap(({ ownWords, otherWords }) => [...ownWords, ...otherWords])
    // The best of all pairs is a guess.
    const top = quantile(all, 0.99)
    return throughPoints([Math.min(median(all), top - GAP_MIN), 0.05], [top, 0.5])
  }
  const own = mean(sets.map(({ ownWords }) => median(ownWords)))
  const other = mean(sets.map(({ otherWords }) => median(otherWords)))
  return throughPoints([Math.min(other, own - GAP_MIN), 0.05], [own, 0.8])
}

/** Cosines that are closer than this are not told apart after rounding to int8. */
const GAP_MIN = 0.005

/** The logistic map that gives each of two cosines its score. */
function throughPoints([a, scoreOfA]: [number, number], [b, scoreOfB]: [number, number]): LogisticMap {
  const slope = (toLogOdds(scoreOfB) - toLogOdds(scoreOfA)) / (b - a)
  return { midpoint: round(a - toLogOdds(scoreOfA) / slope), slope: round(slope) }
}

const picturesToldApart = (sets: readonly Pairs[]): number =>
  mean(sets.map(({ sameKind, otherKind }) => shareAbove(sameKind, otherKind)))
const wordsToldApart = (sets: readonly Pairs[]): number =>
  mean(sets.map(({ ownWords, otherWords }) => shareAbove(ownWords, otherWords)))

export const tellsPictures = (sets: readonly Pairs[]): boolean => picturesToldApart(sets) >= TOLD_APART_MIN
export const tellsWords = (sets: readonly Pairs[]): boolean => wordsToldApart(sets) >= TOLD_APART_MIN

/** What the known pairs score with the maps of a model. */
export function describeFit(
  sets: readonly Pairs[],
  { image_image, text_image }: { image_image: LogisticMap; text_image: LogisticMap },
): Proof['fit'] {
  const scoreOf = (group: keyof Pairs, map: LogisticMap) =>
    round(mean(sets.map((pairs) => calibrate(median(pairs[group]), map))))
  return {
    same_picture: scoreOf('halves', image_image),
    same_kind: scoreOf('sameKind', image_image),
    other_kind: scoreOf('otherKind', image_image),
    own_words: scoreOf('ownWords', text_image),
    other_words: scoreOf('otherWords', text_image),
    pictures_told_apart: round(picturesToldApart(sets)),
    words_told_apart: round(wordsToldApart(sets)),
  }
}

const mean = (values: readonly number[]): number =>
  values.reduce((sum, value) => sum + value, 0) / Math.max(1, values.length)

const round = (value: number): number => Math.round(value * 1_000) / 1_000
