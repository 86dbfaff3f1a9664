import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import sharp, { type Sharp } from 'sharp'
import {
  findBackground,
  findObject,
  findRegions,
  sampleGrid,
} from '../../../../src/platform/embedder/child/background.ts'
import type { Box } from '../../../../src/platform/embedder/embedder.ts'
import { drawing, noisePicture, pixelsOf } from '../pictures.ts'

async function look(picture: Sharp) {
  const grid = sampleGrid(await pixelsOf(picture))
  const ground = findBackground(grid)
  return { ground, object: findObject(grid, ground), regions: findRegions(grid, ground) }
}
const near = (box: Box | null | undefined, expected: Box, tolerance = 0.02) => {
  // A cell is a 112th of a side.
  for (const side of ['x', 'y', 'width', 'height'] as const) {
    expect(Math.abs((box?.[side] ?? Number.NaN) - expected[side])).toBeLessThan(tolerance)
  }
}

describe('the object on a plain ground', () => {
  test.each(['#ffffff', '#101010', '#3a6ea5'])('has a box 5 %% wider on each side, on %s', async (ground) => {
    const { object } = await look(
      drawing('<rect x="60" y="100" width="80" height="40" fill="#c03020"/>', { ground }),
    )
    near(object, { x: 0.28, y: 0.49, width: 0.44, height: 0.22 })
  })

  test('may touch the border on one side, and its box ends there', async () => {
    const { object } = await look(drawing('<rect x="80" y="140" width="40" height="60" fill="#204060"/>'))
    near(object, { x: 0.39, y: 0.685, width: 0.22, height: 0.315 })
    expect((object?.y ?? 0) + (object?.height ?? 0)).toBe(1)
  })

  test('is found in a JPEG of low quality', async () => {
    const shape = drawing('<circle cx="100" cy="100" r="40" fill="#c03020"/>')
    const { object } = await look(sharp(await shape.jpeg({ quality: 30 }).toBuffer()))
    // The blocks of 8 pixels at its edge are not clean.
    near(object, { x: 0.28, y: 0.28, width: 0.44, height: 0.44 }, 0.08)
  })

  test.each([
    ['a picture without a plain ground', () => noisePicture(200, 200)],
    [
      'an object that is nearly the whole picture',
      () => drawing('<rect x="4" y="4" width="192" height="192"/>'),
    ],
    ['a speck', () => drawing('<rect x="100" y="100" width="8" height="8"/>')],
    ['nothing at all', () => drawing('')],
    ['a picture of two halves', () => drawing('<rect width="100" height="200" fill="#204060"/>')],
  ])('%s has none', async (_, make) => {
    expect((await look(make())).object).toBeNull()
  })
})

describe('the regions of a picture', () => {
  const at = (x: number, y: number, side: number) =>
    `<rect x="${x}" y="${y}" width="${side}" height="${side}" fill="#225588"/>`

  test('are its separate objects, the largest first, with their share', async () => {
    const { regions } = await look(drawing(at(20, 20, 30) + at(100, 100, 60)))
    expect(regions).toHaveLength(2)
    near(regions[0]?.box, { x: 0.485, y: 0.485, width: 0.33, height: 0.33 })
    near(regions[1]?.box, { x: 0.0925, y: 0.0925, width: 0.165, height: 0.165 })
    expect(regions[0]?.score).toBeCloseTo(0.8, 1)
    expect(regions[1]?.score).toBeCloseTo(0.2, 1)
  })

  test('parts that are near count as one', async () => {
    const { regions } = await look(drawing(at(60, 60, 30) + at(93, 60, 30)))
    expect(regions).toHaveLength(1)
    expect(regions[0]?.score).toBe(1)
  })

  test('are at most five', async () => {
    const many = [0, 1, 2].flatMap((row) =>
      [0, 1, 2].map((column) => at(15 + 65 * column, 15 + 65 * row, 30)),
    )
    expect((await look(drawing(many.join('')))).regions).toHaveLength(5)
  })

  test('without a plain ground there is at most one', async () => {
    const { object, regions } = await look(noisePicture(200, 200))
    expect([object, regions?.length]).toEqual([null, 1])
  })
})

test('for any pixels at all every box lies within the picture', () => {
  const pictures = fc.record({
    width: fc.integer({ min: 1, max: 240 }),
    height: fc.integer({ min: 1, max: 240 }),
  })
  fc.assert(
    fc.property(pictures, fc.integer(), fc.integer({ min: 0, max: 255 }), (size, seed, share) => {
      let state = seed >>> 0
      const data = new Uint8Array(size.width * size.height * 3).map(() => {
        state = (state * 1664525 + 1013904223) >>> 0
        return state >>> 24 < share / 8 ? state >>> 16 : 200
      })
      const grid = sampleGrid({ ...size, data })
      const ground = findBackground(grid)
      const boxes = [findObject(grid, ground), ...findRegions(grid, ground).map(({ box }) => box)]
      for (const box of boxes) {
        if (!box) continue
        expect(Math.min(box.x, box.y)).toBeGreaterThanOrEqual(0)
        expect(Math.min(box.width, box.height)).toBeGreaterThan(0)
        expect(Math.max(box.x + box.width, box.y + box.height)).toBeLessThanOrEqual(1 + 1e-9)
      }
    }),
    { numRuns: 40 },
  )
})
