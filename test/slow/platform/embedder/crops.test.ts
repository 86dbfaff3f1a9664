import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import sharp from 'sharp'
import type { PictureCrop } from '../../../../src/platform/embedder/embedder.ts'
import { readModelFiles } from '../../../../src/platform/embedder/model-files.ts'
import {
  copyModel,
  INDEX,
  MODEL_DIR,
  refusalOf,
  SEARCH,
  startEmbedder,
} from '../../../platform/embedder/bundled.ts'
import { cosine, drawing, encoded, encodeJpeg, noisePicture } from '../../../platform/embedder/pictures.ts'

const { embedder } = startEmbedder()
beforeAll(() => embedder.settled(), 60_000)
afterAll(() => embedder.close())

const half: PictureCrop = { x: 0.5, y: 0, width: 0.5, height: 1, unit: 'relative' }

describe('a crop', () => {
  test('has the vector, hash and palette of that part alone, and says its box', async () => {
    const png = await encoded(noisePicture(400, 300).png())
    const part = await encoded(sharp(png).extract({ left: 200, top: 0, width: 200, height: 300 }).png())
    const cut = await embedder.embedPicture(png, { ...SEARCH, crop: half })
    const alone = await embedder.embedPicture(part, SEARCH)
    expect(cosine(cut.vector, alone.vector)).toBeGreaterThan(0.9999)
    expect(cut.crop).toEqual({ x: 0.5, y: 0, width: 0.5, height: 1 })
    expect(cut.facts).toEqual({ ...alone.facts, width: 400, height: 300 })
    expect(alone.crop).toBeUndefined()
  })

  test('is the same in shares and in pixels, with its padding', async () => {
    const jpeg = await encodeJpeg(400, 300)
    const [shares, pixels] = await Promise.all([
      embedder.embedPicture(jpeg, {
        ...SEARCH,
        crop: { x: 0.25, y: 0.25, width: 0.5, height: 0.5, unit: 'relative', padding: 0.1 },
      }),
      embedder.embedPicture(jpeg, {
        ...SEARCH,
        crop: { x: 100, y: 75, width: 200, height: 150, unit: 'pixel', padding: 0.1 },
      }),
    ])
    expect(shares.crop).toEqual({ x: 0.2, y: 0.2, width: 0.6, height: 0.6 })
    expect(pixels.crop).toEqual(shares.crop as never)
    expect(cosine(shares.vector, pixels.vector)).toBeGreaterThan(0.98)
  })

  test.each([
    ['outside', { ...half, x: 1 }],
    ['without a size', { ...half, width: 0 }],
    ['of a negative size', { ...half, width: -0.5 }],
    ['beyond all numbers that JSON has', { ...half, x: Number.POSITIVE_INFINITY }],
    ['whose padding is no number', { ...half, padding: Number.NaN }],
    [
      'at the end of all numbers',
      { x: 1e308, y: -1e308, width: 1e308, height: 1e308, unit: 'pixel' as const },
    ],
    ['31 pixels wide', { x: 0, y: 0, width: 31, height: 99, unit: 'pixel' as const }],
  ])('is refused, and the process lives on: %s', async (_, crop) => {
    const [pid] = embedder.pids().vision
    const refusal = await refusalOf(embedder.embedPicture(await encodeJpeg(400, 300), { ...SEARCH, crop }))
    expect(refusal.code).toBe('crop_too_small')
    expect(embedder.pids().vision).toEqual([pid as number])
  })

  test('of a damaged picture tells the damage', async () => {
    const bytes = await encodeJpeg(600, 400)
    const cut = bytes.subarray(0, Math.floor(bytes.length * 0.4))
    const refusal = await refusalOf(embedder.embedPicture(cut, { ...SEARCH, crop: half }))
    expect(refusal.code).toBe('image_unreadable')
  })

  test('of a turned photograph of 50 megapixels does not hold all of it in memory', async () => {
    const create = { width: 8_600, height: 5_800, channels: 3 as const, background: '#557799' }
    const jpeg = await encoded(sharp({ create }).jpeg().withMetadata({ orientation: 6 }))
    await embedder.embedPicture(await encodeJpeg(400, 300), SEARCH)
    const before = peakBytes()
    for (const side of [0.02, 0.9]) {
      const crop = { x: 0.05, y: 0.05, width: side, height: side, unit: 'relative' as const }
      const { facts } = await embedder.embedPicture(jpeg, { ...SEARCH, crop })
      expect(facts).toMatchObject({
        width: 5_800,
        height: 8_600,
        palette: [{ hex: expect.stringMatching(/^#5/) }],
      })
    }
    // All of it takes 150 MB.
    expect(peakBytes() - before).toBeLessThan(100e6)
  }, 30_000)
})

describe('a preview', () => {
  test('comes beside the vector and a thumbnail, and can be cropped like the picture', async () => {
    const large = await encodeJpeg(1_600, 1_200)
    const plain = await embedder.embedPicture(large, SEARCH)
    const { vector, preview, thumbnail } = await embedder.embedPicture(large, {
      ...SEARCH,
      preview: true,
      thumbnail: 192,
    })
    expect(vector).toEqual(plain.vector)
    expect(plain.preview).toBeUndefined()
    expect(await sharp(preview).metadata()).toMatchObject({ format: 'jpeg', width: 768, height: 576 })
    expect(await sharp(thumbnail).metadata()).toMatchObject({ format: 'webp', width: 192, height: 144 })
    const [fromLarge, fromPreview] = await Promise.all(
      [large, preview ?? large].map((bytes) => embedder.embedPicture(bytes, { ...SEARCH, crop: half })),
    )
    expect(cosine(fromLarge?.vector ?? vector, fromPreview?.vector ?? vector)).toBeGreaterThan(0.95)
  })
})

describe('the object of a picture', () => {
  const small = () =>
    encoded(
      drawing('<rect x="60" y="220" width="80" height="80" rx="20" fill="#a02040"/>', {
        width: 400,
        height: 400,
      }).png(),
    )

  test('and the regions come with the facts', async () => {
    const { facts } = await embedder.embedPicture(await small(), { ...SEARCH, regions: true })
    expect(facts.regions).toEqual([{ box: facts.object as never, score: 1 }])
    expect(facts.object?.x).toBeCloseTo(0.14, 1)
    expect((await embedder.embedPicture(await small(), SEARCH)).facts.regions).toBeUndefined()
  })

  test('does not change the vector of an indexed picture where the model does not ask for it', async () => {
    using copy = copyModel()
    const path = join(copy.dir, 'preprocessor_config.json')
    writeFileSync(path, JSON.stringify({ ...JSON.parse(readFileSync(path, 'utf8')), object_mean: false }))
    expect(readModelFiles(copy.dir).fingerprint.hash).not.toBe(readModelFiles(MODEL_DIR).fingerprint.hash)
    const { embedder: plain } = startEmbedder({ modelDir: copy.dir })
    try {
      await plain.settled()
      const png = await small()
      const [search, index] = await Promise.all(
        [SEARCH, INDEX].map((options) => plain.embedPicture(png, options)),
      )
      expect(index?.vector).toEqual(search?.vector as Float32Array)
    } finally {
      await plain.close()
    }
  }, 60_000)

  test('is added to it where the model asks for that, as the bundled one does', async () => {
    const { embedder: adding } = startEmbedder({ modelDir: MODEL_DIR })
    try {
      await adding.settled()
      const png = await small()
      const { vector: plain, facts } = await adding.embedPicture(png, SEARCH)
      const { x, y, width, height } = facts.object ?? { x: 0, y: 0, width: 0, height: 0 }
      const crop = { x, y, width, height, unit: 'relative' } as const
      const { vector: object } = await adding.embedPicture(png, { ...SEARCH, crop })
      const sum = plain.map((value, n) => value + (object[n] ?? 0))
      const mean = sum.map((value) => value / Math.hypot(...sum))
      const pictures = [await encodeJpeg(300, 200), png, await encodeJpeg(200, 300, 2), png, png]
      const indexed = await Promise.all(
        pictures.map((bytes) => adding.embedPicture(bytes, { ...INDEX, priority: 'bulk' })),
      )
      for (const n of [1, 3, 4]) expect(cosine(indexed[n]?.vector ?? plain, mean)).toBeGreaterThan(0.99)
      expect(cosine(plain, mean)).toBeLessThan(0.97)
      for (const n of [0, 2]) {
        const { vector } = await adding.embedPicture(pictures[n] ?? png, SEARCH)
        expect(cosine(indexed[n]?.vector ?? plain, vector)).toBeGreaterThan(0.98)
      }
    } finally {
      await adding.close()
    }
  }, 60_000)
})

/** The most memory that the picture process has ever had. */
function peakBytes(): number {
  const status = readFileSync(`/proc/${embedder.pids().vision[0]}/status`, 'utf8')
  return Number(/VmHWM:\s+(\d+)/.exec(status)?.[1]) * 1024
}
