import { describe, expect, test } from 'bun:test'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import sharp from 'sharp'
import { createPictureDecoder } from '../../../../src/platform/embedder/child/decoder.ts'
import { readTreatment } from '../../../../src/platform/embedder/child/treatment.ts'
import { MODEL_DIR } from '../bundled.ts'
import { encoded, noisePicture } from '../pictures.ts'

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
