import { expect, test } from 'bun:test'
import {
  describeFit,
  fitPictures,
  fitWords,
  type Pairs,
} from '../../../src/commands/model-proof/cosine-maps.ts'
import { explainModelError } from '../../../src/commands/model-proof/explain.ts'
import { fitOdds } from '../../../src/commands/model-proof/final-maps.ts'
import { shareAbove } from '../../../src/commands/model-proof/statistics.ts'
import { calibrate } from '../../../src/core/calibrate.ts'

/** Numbers around a mean, evenly spread. */
const around = (mean: number, width: number, count = 41): number[] =>
  Array.from({ length: count }, (_, n) => mean + width * ((2 * n) / (count - 1) - 1))

/** A model whose cosines lie where OpenAI's do. */
const GOOD: Pairs = {
  halves: around(0.97, 0.02),
  sameKind: around(0.8, 0.1),
  otherKind: around(0.6, 0.1),
  ownWords: around(0.29, 0.03),
  otherWords: around(0.2, 0.03),
}
/** One whose cosines are all alike. */
const FLAT: Pairs = {
  halves: around(0.999, 0.0005),
  sameKind: around(0.99, 0.005),
  otherKind: around(0.99, 0.005),
  ownWords: around(0.01, 0.02),
  otherWords: around(0.01, 0.02),
}

test('scores mean the same whatever the cosines of a model are', () => {
  const shifted = Object.fromEntries(
    Object.entries(GOOD).map(([group, cosines]) => [
      group,
      cosines.map((cosine: number) => 0.5 * cosine - 0.1),
    ]),
  ) as unknown as Pairs
  for (const pairs of [GOOD, shifted]) {
    const fit = describeFit([pairs], { image_image: fitPictures([pairs]), text_image: fitWords([pairs]) })
    expect(fit.same_picture).toBeGreaterThan(0.97)
    expect(fit.same_kind).toBeCloseTo(0.5, 1)
    expect(fit.other_kind).toBeLessThan(0.15)
    expect(fit.own_words).toBeCloseTo(0.8, 1)
    expect(fit.other_words).toBeCloseTo(0.05, 1)
  }
})

test('a model that tells nothing apart gets low scores, and a picture is still like itself', () => {
  const pictures = fitPictures([FLAT])
  expect(calibrate(0.99, pictures)).toBeLessThan(0.5)
  expect(calibrate(1, pictures)).toBeGreaterThan(0.9)
  const words = fitWords([FLAT])
  for (const cosine of FLAT.ownWords) expect(calibrate(cosine, words)).toBeLessThan(0.6)
  expect(Number.isFinite(pictures.slope) && pictures.slope > 0).toBe(true)
})

test('the slope of a model whose cosines are all the same has an end', () => {
  const same = Object.fromEntries(Object.keys(GOOD).map((group) => [group, [1, 1, 1]])) as unknown as Pairs
  for (const map of [fitPictures([same]), fitWords([same])]) {
    expect(map.slope).toBeGreaterThan(0)
    expect(map.slope).toBeLessThan(1_000)
  }
})

test('the map of whole searches crosses 0.5 where hits are as often right as wrong', () => {
  const map = fitOdds([{ right: around(3, 2), wrong: around(-1, 2) }])
  expect(map?.midpoint).toBeCloseTo(1, 1)
  // Told apart without a fault: no endless slope.
  expect(fitOdds([{ right: [500, 600], wrong: [-500, -600] }])?.slope).toBeLessThanOrEqual(2)
  // No difference, the wrong way round, or nothing to compare: no map.
  expect(fitOdds([{ right: around(-3, 1), wrong: around(3, 1) }])).toBeUndefined()
  expect(fitOdds([{ right: [1], wrong: [] }])).toBeUndefined()
})

test('how often one exceeds another is a half for equals', () => {
  expect(shareAbove([1, 2], [1, 2])).toBe(0.5)
  expect(shareAbove([3], [1, 2])).toBe(1)
  expect(shareAbove([0], [1, 2])).toBe(0)
  expect(shareAbove([], [1])).toBe(0.5)
})

test('what the libraries say of a model is told in a sentence', () => {
  const explain = (message: string) => explainModelError(new Error(message))
  expect(
    explain('Non-zero status code while running Gather node. indices element out of data bounds, idx=60000'),
  ).toContain('belongs to another model')
  expect(explain('Load model from /x.onnx failed:Protobuf parsing failed.')).toContain(
    'damaged or was cut short',
  )
  expect(explain('Something\n\n  else.')).toBe('The model cannot be used: Something else.')
})
