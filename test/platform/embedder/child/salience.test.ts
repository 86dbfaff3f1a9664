import { expect, test } from 'bun:test'
import { findBackground, findRegions, type Grid } from '../../../../src/platform/embedder/child/background.ts'
import { seededRandom } from '../../../robustness/random.ts'

const SIDE = 112

/** Draws a picture cell by cell. */
function draw(colour: (x: number, y: number) => readonly [number, number, number]): Grid {
  const data = new Uint8Array(SIDE * SIDE * 3)
  for (let y = 0, at = 0; y < SIDE; y++) {
    for (let x = 0; x < SIDE; x++, at += 3) data.set(colour(x, y), at)
  }
  return { columns: SIDE, rows: SIDE, data }
}

const isInside = (x: number, y: number) => x >= 30 && x < 80 && y >= 20 && y < 90
/** A chequered cloth whose squares differ by half the range. */
const cloth = (x: number, y: number) =>
  (Math.floor(x / 6) + Math.floor(y / 6)) % 2 === 0 ? ([150, 110, 70] as const) : ([90, 60, 30] as const)

test('the main object in front of a pattern is found where no ground is plain', () => {
  const grid = draw((x, y) => (isInside(x, y) ? [30, 60, 200] : cloth(x, y)))
  expect(findBackground(grid)).toBeUndefined()
  const regions = findRegions(grid, undefined)
  expect(regions).toHaveLength(1)
  const { x = 0, y = 0, width = 0, height = 0 } = regions[0]?.box ?? {}
  const shares = [x, y, x + width, y + height]
  for (const [n, wanted] of [30, 20, 80, 90].entries())
    expect(Math.abs((shares[n] ?? 0) - wanted / SIDE)).toBeLessThan(0.06)
  expect(regions[0]?.score).toBeGreaterThan(0.9)
})

test('two halves are no object, and neither is one colour', () => {
  expect(
    findRegions(
      draw(() => [80, 80, 80]),
      undefined,
    ),
  ).toEqual([])
  const [region] = findRegions(
    draw((x) => (x < 2 ? [255, 0, 0] : [0, 0, 255])),
    undefined,
  )
  expect(region?.box.width ?? 0).toBeLessThanOrEqual(1)
})

test('in noise nothing stands out', () => {
  const random = seededRandom(3)
  for (let n = 0; n < 10; n++) {
    const grid = draw(() => [random.below(256), random.below(256), random.below(256)])
    expect(findRegions(grid, undefined)).toEqual([])
  }
})

test('every picture gives a box inside it, or none', () => {
  const random = seededRandom(7)
  for (let n = 0; n < 20; n++) {
    const columns = 1 + random.below(SIDE)
    const rows = 1 + random.below(SIDE)
    const data = random.bytes(columns * rows * 3)
    for (const { box, score } of findRegions({ columns, rows, data }, undefined)) {
      expect([box.x >= 0, box.y >= 0, box.x + box.width <= 1.0001, box.y + box.height <= 1.0001]).toEqual([
        true,
        true,
        true,
        true,
      ])
      expect(score).toBeWithin(0, 1.001)
    }
  }
})
