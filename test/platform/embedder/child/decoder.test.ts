import { describe, expect, test } from 'bun:test'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import sharp from 'sharp'
import { createPictureDecoder } from '../../../../src/platform/embedder/child/decoder.ts'
import { readTreatment } from '../../../../src/platform/embedder/child/treatment.ts'
import { MODEL_DIR } from '../bundled.ts'
import { drawing, encoded, encodeJpeg, noisePicture } from '../pictures.ts'

/** The treatment that a `preprocessor_config.json` asks for. */
function treatmentFor(config: object) {
  const dir = mkdtempSync(join(tmpdir(), 'lookalike-treatment-'))
  try {
    writeFileSync(join(dir, 'preprocessor_config.json'), JSON.stringify(config))
    return readTreatment(dir)
  } finally {
    rmSync(dir, { recursive: true })
  }
}

const CLIP_MEAN = [0.48145466, 0.4578275, 0.40821073]
const CLIP_STD = [0.26862954, 0.26130258, 0.27577711]
/** The configuration of OpenAI's CLIP ViT-B/32. */
const OPENAI = {
  crop_size: 224,
  do_center_crop: true,
  do_normalize: true,
  do_resize: true,
  image_mean: CLIP_MEAN,
  image_std: CLIP_STD,
  resample: 3,
  size: 224,
}
/** Left half red, right half blue, with a green stripe of a quarter in the middle. */
const stripes = (width: number, height: number) =>
  encoded(
    sharp(
      Buffer.from(`<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}">
        <rect width="${width / 2}" height="${height}" fill="#f00"/>
        <rect x="${width / 2}" width="${width / 2}" height="${height}" fill="#00f"/>
        <rect x="${(width * 3) / 8}" width="${width / 4}" height="${height}" fill="#0f0"/></svg>`),
    )
      .flatten({ background: '#fff' })
      .png(),
  )

test('a model may ask for JPEGs that are shrunk while they are read; it then sees nearly the same, and without that nothing changes', async () => {
  const picture = await encoded(noisePicture(2_000, 1_500).jpeg())
  const asked = (config: object) => createPictureDecoder(treatmentFor({ ...OPENAI, ...config }))(picture)
  const [plain, off, shrunk] = await Promise.all([
    asked({}),
    asked({ shrink_on_load: false }),
    asked({ shrink_on_load: true }),
  ])
  expect(off).toEqual(plain)
  expect(shrunk.tensor).not.toEqual(plain.tensor)
  expect(shrunk.facts).toMatchObject({ width: 2_000, height: 1_500 })
  const differences = plain.tensor.map((value, n) => Math.abs(value - (shrunk.tensor[n] ?? Number.NaN)))
  expect(differences.reduce((sum, each) => sum + each) / differences.length).toBeLessThan(0.05)
})

test('the bundled model does not ask for that: its vectors would change', () => {
  expect(readTreatment(MODEL_DIR).shrinksOnLoad).toBe(false)
})

describe('a model that takes the middle of a picture (shortest edge, then crop)', () => {
  test('sees the middle of a wide picture only, with its own mean and deviation', async () => {
    const { tensor, facts } = await createPictureDecoder(treatmentFor(OPENAI))(await stripes(896, 224))
    expect(tensor.length).toBe(3 * 224 * 224)
    // The middle quarter of 896 pixels is the green stripe.
    const at = 112 * 224 + 112
    for (const [channel, value] of [0, 1, 0].entries()) {
      const expected = (value - (CLIP_MEAN[channel] ?? 0)) / (CLIP_STD[channel] ?? 1)
      expect(tensor[channel * 224 * 224 + at]).toBeCloseTo(expected, 4)
    }
    // The facts tell of the whole picture.
    expect(facts.palette.map(({ hex }) => hex)).toContain('#ff0000')
  })

  test('the nested spelling of sizes means the same', async () => {
    const nested = { ...OPENAI, size: { shortest_edge: 224 }, crop_size: { width: 224, height: 224 } }
    const picture = await encoded(noisePicture(500, 330).png())
    const [a, b] = await Promise.all(
      [OPENAI, nested].map((config) => createPictureDecoder(treatmentFor(config))(picture)),
    )
    expect(a?.tensor).toEqual(b?.tensor as Float32Array)
  })

  test('the filters differ, and each gives the numbers of the same filter in sharp', async () => {
    const picture = await encoded(noisePicture(400, 400).png())
    for (const [resample, kernel] of [
      [1, 'lanczos3'],
      [2, 'linear'],
      [3, 'cubic'],
    ] as const) {
      const config = { size: { width: 64, height: 64 }, resample, do_rescale: false, do_normalize: false }
      const { tensor } = await createPictureDecoder(treatmentFor(config))(picture)
      const expected = await sharp(picture).resize(64, 64, { fit: 'fill', kernel }).raw().toBuffer()
      expect([...tensor.subarray(0, 64)]).toEqual(
        [...expected.subarray(0, 192)].filter((_, i) => i % 3 === 0),
      )
    }
  })
})

test.each([
  ['a filter we do not have', { ...OPENAI, resample: 5 }],
  ['pictures of any size', { ...OPENAI, do_resize: false }],
  ['a shortest edge without a crop', { ...OPENAI, do_center_crop: false }],
  ['no size', { resample: 1 }],
])('a model that asks for %s is refused when it is loaded', (_, config) => {
  expect(() => treatmentFor(config)).toThrow()
})

describe('the work that a picture is', () => {
  const decode = createPictureDecoder(treatmentFor(OPENAI))

  test('is told instead of done when it is more than asked for', async () => {
    const png = await encoded(noisePicture(400, 300).png())
    await expect(decode(png, { pixelsMax: 100_000 })).rejects.toMatchObject({
      name: 'LargePicture',
      pixels: 120_000,
    })
    expect((await decode(png, { pixelsMax: 120_000 })).facts).toMatchObject({ width: 400, height: 300 })
  })

  test('of an ordinary JPEG is a quarter, of a progressive one all', async () => {
    const [baseline, progressive] = await Promise.all(
      [false, true].map((isProgressive) =>
        encoded(noisePicture(400, 300).jpeg({ progressive: isProgressive })),
      ),
    )
    await expect(decode(baseline ?? new Uint8Array(), { pixelsMax: 100 })).rejects.toMatchObject({
      pixels: 30_000,
    })
    await expect(decode(progressive ?? new Uint8Array(), { pixelsMax: 100 })).rejects.toMatchObject({
      pixels: 120_000,
    })
  })
})

describe('a crop', () => {
  const SQUASHED = { size: { width: 64, height: 64 }, resample: 1, do_rescale: false, do_normalize: false }
  const decode = createPictureDecoder(treatmentFor(SQUASHED))
  const crop = { x: 0.1, y: 0.3, width: 0.5, height: 0.4, unit: 'relative' } as const
  const difference = (a: Float32Array, b: Float32Array) =>
    a.reduce((sum, value, n) => sum + Math.abs(value - (b[n] ?? Number.NaN)), 0) / a.length

  test('is what a file of that part would be; size and type are those of the whole picture', async () => {
    const png = await encoded(noisePicture(400, 300).png())
    const part = await encoded(sharp(png).extract({ left: 40, top: 90, width: 200, height: 120 }).png())
    const [cut, alone, whole] = await Promise.all([decode(png, { crop }), decode(part), decode(png)])
    expect(cut.tensor).toEqual(alone.tensor)
    expect(cut.crop).toEqual({ x: 0.1, y: 0.3, width: 0.5, height: 0.4 })
    expect(cut.facts).toEqual({ ...alone.facts, width: 400, height: 300 })
    expect(cut.facts.phash).not.toBe(whole.facts.phash)
    expect(whole.crop).toBeUndefined()
  })

  test.each([1, 2, 3, 4, 5, 6, 7, 8])('is of the upright picture, orientation %i', async (orientation) => {
    for (const size of [400, 1_600]) {
      // The larger one is shrunk while it is read, which changes its pixels a little.
      const file = await encoded(
        noisePicture(size, size / 2)
          .jpeg({ quality: 95 })
          .withMetadata({ orientation }),
      )
      const upright = await encoded(sharp(file).autoOrient().png())
      const [a, b] = await Promise.all([decode(file, { crop }), decode(upright, { crop })])
      expect(a.crop).toEqual(b.crop as never)
      // Any other part, or another way round, is 30 apart.
      expect(difference(a.tensor, b.tensor)).toBeLessThan(5)
    }
  })

  test('of a transparent picture lies on white, and one of an animation in its first frame', async () => {
    const clear = {
      create: { width: 90, height: 90, channels: 4 as const, background: { r: 255, g: 0, b: 0, alpha: 0 } },
    }
    const { facts } = await decode(await encoded(sharp(clear).png()), { crop })
    expect(facts.palette).toEqual([{ hex: '#ffffff', share: 1 }])
    const frames = await Promise.all(
      ['#0000ff', '#00ff00'].map((background) =>
        sharp({ create: { width: 90, height: 90, channels: 3, background } })
          .png()
          .toBuffer(),
      ),
    )
    const gif = await encoded(sharp(frames, { join: { animated: true } }).gif())
    expect((await decode(gif, { crop })).facts).toMatchObject({
      width: 90,
      height: 90,
      palette: [{ hex: '#0000ff' }],
    })
  })

  test('is more work than the whole picture where a JPEG cannot be shrunk for it', async () => {
    const jpeg = await encodeJpeg(400, 300)
    await expect(decode(jpeg, { pixelsMax: 100 })).rejects.toMatchObject({ pixels: 30_000 })
    await expect(decode(jpeg, { pixelsMax: 100, crop })).rejects.toMatchObject({ pixels: 120_000 })
    const large = await encodeJpeg(2_000, 1_000)
    await expect(decode(large, { pixelsMax: 100, crop })).rejects.toMatchObject({ pixels: 500_000 })
  })

  test('that is too small is refused before anything is decoded', async () => {
    const jpeg = await encodeJpeg(400, 300)
    const tiny = { ...crop, width: 0.05 }
    await expect(decode(jpeg, { pixelsMax: 100, crop: tiny })).rejects.toMatchObject({
      code: 'crop_too_small',
    })
  })

  test('still proposes the regions of the whole picture when asked', async () => {
    const shape = drawing('<rect x="120" y="120" width="60" height="60" fill="#204060"/>')
    const png = await encoded(shape.png())
    const [asked, unasked] = await Promise.all([decode(png, { crop, regions: true }), decode(png, { crop })])
    expect(asked.facts.object).toMatchObject({ x: expect.closeTo(0.585, 1), width: expect.closeTo(0.33, 1) })
    expect(asked.facts.regions).toHaveLength(1)
    expect(unasked.facts.object).toBeNull()
    expect(unasked.facts.regions).toBeUndefined()
  })
})

describe('a preview', () => {
  const decode = createPictureDecoder(treatmentFor(OPENAI))

  test('of a small file is that file', async () => {
    const jpeg = await encodeJpeg(400, 300)
    const { preview } = await decode(jpeg, { preview: true })
    expect(await preview).toEqual(jpeg)
    expect((await decode(jpeg)).preview).toBeUndefined()
  })

  test.each([
    ['a JPEG', () => noisePicture(1_600, 800).jpeg()],
    ['one that is turned', () => noisePicture(800, 1_600).jpeg().withMetadata({ orientation: 6 })],
    ['a large PNG of few pixels', () => randomPicture(700, 350).png({ compressionLevel: 0 })],
    ['one that is no small work', () => noisePicture(3_000, 1_500).jpeg({ progressive: true })],
  ])('of %s is an upright JPEG of at most 768 pixels', async (_, make) => {
    const picture = await make().toBuffer()
    const bytes =
      (await (await decode(new Uint8Array(picture), { preview: true })).preview) ?? new Uint8Array()
    const { format, width, height, orientation } = await sharp(bytes).metadata()
    expect({ format, orientation }).toEqual({ format: 'jpeg', orientation: undefined })
    expect([width, height]).toEqual(Math.max(width, height) === 700 ? [700, 350] : [768, 384])
    expect(bytes.length).toBeLessThanOrEqual(512 * 1024)
  })

  test('stays within its size for the worst picture, noise', async () => {
    const noise = await encoded(randomPicture(768, 768).png())
    const { preview } = await decode(noise, { preview: true })
    expect((await preview)?.length).toBeLessThanOrEqual(512 * 1024)
  })

  test('of a transparent picture lies on white', async () => {
    const clear = {
      create: { width: 900, height: 900, channels: 4 as const, background: { r: 255, g: 0, b: 0, alpha: 0 } },
    }
    const { preview } = await decode(await encoded(sharp(clear).png()), { preview: true })
    const { dominant } = await sharp((await preview) ?? new Uint8Array()).stats()
    expect(Math.min(dominant.r, dominant.g, dominant.b)).toBeGreaterThan(240)
  })
})

describe('the object of a picture that is indexed', () => {
  const SQUASHED = { size: { width: 64, height: 64 }, resample: 1, do_rescale: false, do_normalize: false }
  const decode = createPictureDecoder(treatmentFor({ ...SQUASHED, object_mean: true }))
  const square = (x: number, side: number) =>
    encoded(drawing(`<rect x="${x}" y="${x}" width="${side}" height="${side}" fill="#204060"/>`).png())

  test('is decoded too where the model asks for it: its box, at the size of the model', async () => {
    const png = await square(60, 80)
    const { objectTensor, facts } = await decode(png, { isIndexed: true })
    const { x, y, width, height } = facts.object ?? { x: 0, y: 0, width: 0, height: 0 }
    const crop = { x, y, width, height, unit: 'relative' } as const
    expect(objectTensor).toEqual((await decode(png, { crop })).tensor)
  })

  test.each([
    ['in a search', () => square(60, 80), { isIndexed: false }],
    ['without a plain ground', () => encoded(noisePicture(200, 200).png()), { isIndexed: true }],
    ['that is large already', () => square(16, 168), { isIndexed: true }],
    ['of less than 32 pixels', () => square(90, 22), { isIndexed: true }],
    [
      'beside a crop',
      () => square(60, 80),
      { isIndexed: true, crop: { x: 0, y: 0, width: 0.9, height: 0.9, unit: 'relative' as const } },
    ],
  ])('is not, %s', async (_, make, options) => {
    expect((await decode(await make(), options)).objectTensor).toBeUndefined()
  })

  test('is not without the flag', async () => {
    const plain = createPictureDecoder(treatmentFor(SQUASHED))
    expect((await plain(await square(60, 80), { isIndexed: true })).objectTensor).toBeUndefined()
  })
})

/** Noise that no format can compress. */
function randomPicture(width: number, height: number) {
  let state = 1
  const data = Buffer.alloc(width * height * 3).map(() => {
    state = (state * 1664525 + 1013904223) >>> 0
    return state >>> 24
  })
  return sharp(data, { raw: { width, height, channels: 3 } })
}
