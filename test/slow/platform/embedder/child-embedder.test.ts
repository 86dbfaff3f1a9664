import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { readdirSync } from 'node:fs'
import { getPriority } from 'node:os'
import { join } from 'node:path'
import { AutoProcessor, CLIPVisionModelWithProjection, env, RawImage } from '@huggingface/transformers'
import sharp from 'sharp'
import { TEXT_QUERIES } from '../../../../scripts/demo/text-queries.ts'
import { readGolden } from '../../../../src/platform/embedder/model-files.ts'
import { bundledModelName } from '../../../../src/platform/native/model-folder.ts'
import { INDEX, MODEL_DIR, refusalOf, SEARCH, startEmbedder } from '../../../platform/embedder/bundled.ts'
import {
  bitsApart,
  blackPng,
  cosine,
  encoded,
  encodeJpeg,
  noisePicture,
} from '../../../platform/embedder/pictures.ts'

const { embedder } = startEmbedder()
beforeAll(() => embedder.settled(), 60_000)
afterAll(() => embedder.close())

describe('the bundled model', () => {
  test('passes its self-test and tells its name, hash and dimension', () => {
    expect(embedder.status()).toEqual({ state: 'ready' })
    expect(embedder.model).toMatchObject({ id: bundledModelName, dimension: 512 })
    expect(embedder.model.hash).toMatch(/^[0-9a-f]{64}$/)
  })

  test('gives way to texts and to the service with all threads that take pictures', async () => {
    await embedder.embedPicture(await encodeJpeg(300, 200), SEARCH)
    const { text, vision } = embedder.pids()
    const listNiceness = (pid: number) =>
      readdirSync(`/proc/${pid}/task`).map((thread) => getPriority(Number(thread)))
    for (const pid of text) expect(Math.max(...listNiceness(pid))).toBe(getPriority())
    for (const pid of vision) expect(Math.min(...listNiceness(pid))).toBeGreaterThanOrEqual(10)
  })

  test('gives vectors of length 1', async () => {
    const { vector } = await embedder.embedPicture(await encodeJpeg(300, 200), SEARCH)
    const text = await embedder.embedText('red shoes', 'search')
    expect(Math.hypot(...vector)).toBeCloseTo(1, 5)
    expect(Math.hypot(...text.vector)).toBeCloseTo(1, 5)
    expect([vector.length, text.vector.length]).toEqual([512, 512])
  })

  test('puts words near the pictures they describe', async () => {
    const golden = readGolden(MODEL_DIR)
    const file = golden?.pictures.find(({ name }) => name === 'shirt.png')?.file ?? ''
    const { vector } = await embedder.embedPicture(Buffer.from(file, 'base64'), SEARCH)
    const [shirt, sofa] = await Promise.all([
      embedder.embedText('red t-shirt', 'search'),
      embedder.embedText('black leather sofa', 'search'),
    ])
    expect(cosine(vector, shirt.vector)).toBeGreaterThan(cosine(vector, sofa.vector) + 0.05)
  })
})

describe('agreement with the reference processor of transformers.js', () => {
  const reference = async (bytes: Uint8Array): Promise<Float32Array> => {
    env.allowRemoteModels = false
    env.localModelPath = join(MODEL_DIR, '..', '/')
    const processor = await AutoProcessor.from_pretrained(bundledModelName)
    const model = await CLIPVisionModelWithProjection.from_pretrained(bundledModelName, {
      dtype: 'q8',
      session_options: { extra: { session: { x64quantprecision: '1' } } },
    })
    const { image_embeds } = await model(await processor(await RawImage.read(new Blob([bytes]))))
    return image_embeds.data
  }

  test.each([
    ['a JPEG', () => encodeJpeg(400, 300)],
    ['a small picture that is enlarged', () => encoded(noisePicture(90, 120).png())],
    ['a PNG with a palette', () => encoded(noisePicture(320, 320).png({ palette: true }))],
    ['a WebP', () => encoded(noisePicture(500, 700).webp({ quality: 90 }))],
  ])('%s gives the same vector (cosine at least 0.999)', async (_, make) => {
    const bytes = await make()
    const { vector } = await embedder.embedPicture(bytes, SEARCH)
    expect(cosine(vector, await reference(bytes))).toBeGreaterThan(0.999)
  })

  test('a large JPEG, shrunk while it is read, stays within the rounding of int8 (cosine at least 0.99)', async () => {
    const bytes = await encodeJpeg(2600, 1900)
    const { vector } = await embedder.embedPicture(bytes, SEARCH)
    expect(cosine(vector, await reference(bytes))).toBeGreaterThan(0.99)
  })

  test.each(readGolden(MODEL_DIR)?.pictures ?? [])('golden picture $name', async ({ name, file, vector }) => {
    const expected = new Float32Array(new Uint8Array(Buffer.from(vector, 'base64')).buffer)
    const actual = await embedder.embedPicture(Buffer.from(file, 'base64'), INDEX)
    // We turn a picture, and round 16 bits to 8, after it was made small; the reference does it before.
    const isRoundedElsewhere = /exif|16-bit/.test(name)
    expect(cosine(actual.vector, expected)).toBeGreaterThan(isRoundedElsewhere ? 0.99 : 0.999)
  })
})

describe('what a picture is', () => {
  test('width and height are those after EXIF rotation, the type is that of the bytes', async () => {
    const turned = await encoded(noisePicture(200, 100).jpeg().withMetadata({ orientation: 6 }))
    const { facts } = await embedder.embedPicture(turned, SEARCH)
    expect(facts).toMatchObject({ width: 100, height: 200, contentType: 'image/jpeg' })
  })

  test('a rotated file and the same picture saved upright are alike', async () => {
    const upright = await encoded(noisePicture(150, 220).png())
    const turned = await encoded(sharp(upright).rotate(270).png().withMetadata({ orientation: 6 }))
    const [a, b] = await Promise.all([
      embedder.embedPicture(upright, SEARCH),
      embedder.embedPicture(turned, SEARCH),
    ])
    expect(cosine(a.vector, b.vector)).toBeGreaterThan(0.99)
    expect(bitsApart(a.facts.phash, b.facts.phash)).toBeLessThanOrEqual(4)
  })

  test('what lies under transparency does not show: it is white', async () => {
    const red = {
      create: { width: 80, height: 80, channels: 4 as const, background: { r: 255, g: 0, b: 0, alpha: 0 } },
    }
    const { facts } = await embedder.embedPicture(await encoded(sharp(red).png()), SEARCH)
    expect(facts.palette).toEqual([{ hex: '#ffffff', share: 1 }])
  })

  test('an animation counts by its first frame', async () => {
    const frames = await Promise.all(
      ['#0000ff', '#00ff00'].map((background) =>
        sharp({ create: { width: 64, height: 64, channels: 3, background } })
          .png()
          .toBuffer(),
      ),
    )
    const gif = await encoded(sharp(frames, { join: { animated: true } }).gif())
    const { facts } = await embedder.embedPicture(gif, SEARCH)
    expect(facts).toMatchObject({ width: 64, height: 64, contentType: 'image/gif' })
    expect(facts.palette[0]?.hex).toBe('#0000ff')
  })
})

describe('refused pictures', () => {
  const ascii = (text: string) => new TextEncoder().encode(text)
  const cut = async (bytes: Promise<Uint8Array>, share: number) => {
    const whole = await bytes
    return whole.subarray(0, Math.floor(whole.length * share))
  }
  const spoilt = async () => {
    const bytes = await encoded(noisePicture(200, 200).png())
    return bytes.map((byte, i) => (i > 200 && i < 400 ? byte ^ 0x5a : byte))
  }

  test.each([
    ['nothing', 'image_unsupported_format', async () => new Uint8Array()],
    ['SVG', 'image_unsupported_format', async () => ascii('<svg xmlns="http://www.w3.org/2000/svg"/>')],
    ['HTML', 'image_unsupported_format', async () => ascii('<!doctype html><title>photo.jpg</title>')],
    ['PDF', 'image_unsupported_format', async () => ascii('%PDF-1.7\n1 0 obj\n')],
    ['TIFF', 'image_unsupported_format', () => encoded(noisePicture(64, 64).tiff())],
    ['1 x 1', 'image_too_small', () => encoded(noisePicture(1, 1).png())],
    ['31 pixels high', 'image_too_small', () => encodeJpeg(500, 31)],
    ['a bomb of 256 megapixels', 'image_too_large', async () => blackPng(16_000, 16_000)],
    ['20000 x 20000', 'image_too_large', async () => blackPng(20_000, 20_000)],
    ['a JPEG without its end', 'image_unreadable', () => cut(encodeJpeg(600, 400), 0.6)],
    ['a PNG without its end', 'image_unreadable', () => cut(encoded(noisePicture(300, 300).png()), 0.5)],
    ['a WebP without its end', 'image_unreadable', () => cut(encoded(noisePicture(300, 300).webp()), 0.5)],
    ['an AVIF without its end', 'image_unreadable', () => cut(encoded(noisePicture(300, 300).avif()), 0.5)],
    ['a JPEG of two bytes', 'image_unreadable', async () => new Uint8Array([0xff, 0xd8, 0xff, 0xe0])],
    ['a PNG with spoilt chunks', 'image_unreadable', spoilt],
  ])('%s: %s', async (_, code, make) => {
    const refusal = await refusalOf(embedder.embedPicture(await make(), SEARCH))
    expect(refusal.code).toBe(code as typeof refusal.code)
  })

  test('too large and too small say the size and the limit', async () => {
    const large = await refusalOf(embedder.embedPicture(blackPng(16_000, 16_000), SEARCH))
    expect(large.extras.details).toEqual({ width: 16_000, height: 16_000, max_pixels: 50_000_000 })
    const small = await refusalOf(embedder.embedPicture(await encodeJpeg(500, 31), SEARCH))
    expect(small.extras.details).toEqual({ width: 500, height: 31, min_side: 32 })
  })

  test.each([
    ['the file ends too early', () => cut(encodeJpeg(600, 400), 0.6)],
    ['the header is damaged', () => cut(encoded(noisePicture(300, 300).webp()), 0.5)],
    ['the pixels are damaged', spoilt],
  ])('a damaged picture is told in our own words: %s', async (cause, make) => {
    const refusal = await refusalOf(embedder.embedPicture(await make(), SEARCH))
    expect(refusal.extras.details).toEqual({ cause })
  })

  test('a damaged picture harms none of those beside it', async () => {
    const good = await Promise.all([1, 2, 3, 4, 5].map((seed) => encodeJpeg(200, 200, seed)))
    const bad = await cut(encodeJpeg(600, 400), 0.5)
    const alone = await Promise.all(good.map((bytes) => embedder.embedPicture(bytes, SEARCH)))
    const outcomes = await Promise.allSettled(
      [good[0], bad, good[1], bad, good[2], good[3], bad, good[4]].map((bytes) =>
        embedder.embedPicture(bytes ?? bad, INDEX),
      ),
    )
    expect(outcomes.map(({ status }) => status)).toEqual(
      [0, 1, 0, 1, 0, 0, 1, 0].map((isBad) => (isBad ? 'rejected' : 'fulfilled')),
    )
    const vectors = outcomes.flatMap((outcome) =>
      outcome.status === 'fulfilled' ? [outcome.value.vector] : [],
    )
    for (const [i, vector] of vectors.entries()) {
      expect(cosine(vector, alone[i]?.vector ?? vector)).toBeGreaterThan(0.98)
      const nearest = alone.map((other) => cosine(vector, other.vector))
      expect(nearest.indexOf(Math.max(...nearest))).toBe(i)
    }
  })
})

describe('texts', () => {
  test('the vector does not depend on spaces around the text or on how an accent is written', async () => {
    const [plain, spaced, decomposed] = await Promise.all(
      ['café chair', '  café chair\n', 'cafe\u0301 chair'].map((text) => embedder.embedText(text, 'search')),
    )
    expect(spaced?.vector).toEqual(plain?.vector as Float32Array)
    expect(decomposed?.vector).toEqual(plain?.vector as Float32Array)
  })

  test('texts beyond the window of 48 tokens are cut, say so, and still mean their beginning', async () => {
    const short = await embedder.embedText('red running shoes', 'search')
    const exact = await embedder.embedText(Array(46).fill('shoes').join(' '), 'search')
    const long = await embedder.embedText(`red running shoes ${'shoes '.repeat(200)}`, 'search')
    const cutAtWindow = await embedder.embedText(`red running shoes ${'shoes '.repeat(43)}`, 'search')
    expect([short.isTruncated, exact.isTruncated, long.isTruncated]).toEqual([false, false, true])
    expect(cosine(long.vector, cutAtWindow.vector)).toBeGreaterThan(0.9999)
  })

  test.each(['asdfghjkl', 'qwrtz', 'blorf', 'xkcdq', 'wibblefritz', '裙子'])(
    'nonsense is reported as unknown: %s',
    async (text) => {
      expect((await embedder.embedText(text, 'search')).isUnknown).toBe(true)
    },
  )

  test('no text query of the demo is unknown, nor one with a single known word', async () => {
    const queries = [...TEXT_QUERIES.map(({ query }) => query), 'blorf shoes', 'Blue, asdfghjkl']
    const answers = await Promise.all(queries.map((query) => embedder.embedText(query, 'search')))
    expect(queries.filter((_, i) => answers[i]?.isUnknown !== false)).toEqual([])
  })

  test.each([
    ['red shoes', 0],
    ['a blorf dress', 1 / 2],
    ['zxqv shoes, size 8', 1 / 3],
    ['裙子', 1],
    ['8080', 1],
    ['', 0],
  ])('the share of unknown words is told: %s', async (text, share) => {
    const { unknownShare } = await embedder.embedText(text, 'search')
    expect(unknownShare).toBeCloseTo(share, 6)
  })

  test.each<[text: string, unknown: string[], words: number]>([
    ['red mug', [], 2],
    // Its pieces stand in English words, which is all that can be told.
    ['zxqv plomb', ['zxqv'], 2],
    ['Czajnik elektryczny', ['czajnik', 'elektryczny'], 2],
    ['a czajnik, a CZAJNIK and a kettle', ['czajnik'], 3],
    ['裙子', ['裙子'], 1],
    ['茶', ['茶'], 1],
    ['blaue Größe', ['größe'], 2],
    ['8080', [], 0],
    ['', [], 0],
  ])('the words that the model has never seen are named: %s', async (text, unknown, words) => {
    const answer = await embedder.embedText(text, 'search')
    expect([answer.unknownWords, answer.words]).toEqual([unknown, words])
  })

  test.each<[text: string, doubtful: string[]]>([
    ['red mug', []],
    ['red mgu', ['mgu']],
    // The pieces are known, the whole is not.
    ['A wireless keybord, umbrela', ['keybord', 'umbrela']],
    ['blaue Größe', ['größe', 'blaue']],
  ])('the words that the model has in pieces at most are named: %s', async (text, doubtful) => {
    const answer = await embedder.embedText(text, 'search')
    expect([...(answer.doubtfulWords ?? [])].sort()).toEqual(doubtful.sort())
  })

  test('hostile text is only text', async () => {
    const texts = ['', '\u0000', '\ud800', '<|endoftext|>', '🧥'.repeat(100), 'x'.repeat(500)]
    const results = await Promise.all(texts.map((text) => embedder.embedText(text, 'search')))
    for (const { vector } of results) expect(Math.hypot(...vector)).toBeCloseTo(1, 5)
  })
})
