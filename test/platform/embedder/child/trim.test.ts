import { describe, expect, test } from 'bun:test'
import sharp from 'sharp'
import { pictureType } from '../../../../src/core/picture-type.ts'
import { RefusedPicture } from '../../../../src/platform/embedder/child/refusal.ts'
import { trim } from '../../../../src/platform/embedder/child/trim.ts'
import { scannedOver, tinyFrames } from '../../../robustness/bombs.ts'
import { mutate } from '../../../robustness/mutation.ts'
import { readRepetitions, seededRandom } from '../../../robustness/random.ts'
import { frames, samplePictures } from '../../../robustness/samples.ts'
import { encoded, encodeJpeg, noisePicture } from '../pictures.ts'

const MUTANTS = readRepetitions('TRIM_MUTANTS', 400)
/** The longest animation of a mutant is short, so its original can be decoded for comparison. */
const SAFE = { limitInputPixels: 1_000_000, failOn: 'error', pages: 1, sequentialRead: true } as const

const trimmed = (bytes: Uint8Array): Uint8Array => {
  const type = pictureType(bytes)
  if (!type) throw new Error('no picture')
  return trim(bytes, type)
}

/** The pixels as the embedder takes them, or `undefined` for what cannot be decoded. */
const pixelsOf = (bytes: Uint8Array): Promise<Buffer | undefined> =>
  sharp(bytes, SAFE)
    .autoOrient()
    .toColourspace('srgb')
    .raw()
    .toBuffer()
    .catch(() => undefined)

const latin = (text: string): Uint8Array => new Uint8Array(Buffer.from(text, 'latin1'))
const concat = (...parts: Uint8Array[]): Uint8Array => new Uint8Array(Buffer.concat(parts))

/** The decoder's eye is not on checksums of what it does not need; ours neither. */
function chunk(type: string, data: Uint8Array): Uint8Array {
  const bytes = new Uint8Array(data.length + 12)
  new DataView(bytes.buffer).setUint32(0, data.length)
  bytes.set(latin(type), 4)
  bytes.set(data, 8)
  new DataView(bytes.buffer).setUint32(data.length + 8, Bun.hash.crc32(bytes.subarray(4, data.length + 8)))
  return bytes
}
const pngWith = (png: Uint8Array, ...chunks: Uint8Array[]) =>
  concat(png.subarray(0, 33), ...chunks, png.subarray(33))

const segment = (marker: number, data: Uint8Array): Uint8Array =>
  concat(new Uint8Array([0xff, marker, (data.length + 2) >> 8, (data.length + 2) & 255]), data)
const jpegWith = (jpeg: Uint8Array, ...segments: Uint8Array[]) =>
  concat(jpeg.subarray(0, 2), ...segments, jpeg.subarray(2))
const turned = (orientation: number): Uint8Array =>
  concat(
    latin('MM\0*\0\0\0\x08\0\x01\x01\x12\0\x03\0\0\0\x01\0'),
    new Uint8Array([orientation, 0, 0, 0, 0, 0, 0]),
  )

describe('sound pictures', () => {
  test('keep their pixels, to the last bit', async () => {
    for (const [name, bytes] of await samplePictures()) {
      expect([name, await pixelsOf(trimmed(bytes))]).toEqual([name, await pixelsOf(bytes)])
    }
  })

  test('without anything beside the picture are not even copied', async () => {
    for (const bytes of [await encodeJpeg(64, 64), await encoded(noisePicture(64, 64).webp())])
      expect(trimmed(bytes)).toBe(bytes)
  })
})

describe('PNG', () => {
  const plain = () => encoded(noisePicture(64, 64).png())

  test.each(['tEXt', 'zTXt', 'iTXt', 'sPLT', 'tIME', 'abCd'])('%s is cut out', async (type) => {
    const png = await plain()
    const remark = chunk(type, latin('Comment\0\0nothing of interest'))
    expect(trimmed(pngWith(png, ...Array<Uint8Array>(500).fill(remark)))).toEqual(trimmed(png))
  })

  test('gAMA, cHRM, sRGB, tRNS and a profile stay', async () => {
    const png = pngWith(
      await plain(),
      chunk('gAMA', new Uint8Array([0, 0, 0xb1, 0x8f])),
      chunk('iCCP', latin('icc\0\0a profile')),
    )
    expect(Buffer.from(trimmed(png)).includes('gAMA')).toBe(true)
    expect(Buffer.from(trimmed(png)).includes('iCCP')).toBe(true)
  })

  test('of profiles and EXIF only the first stays, and none beyond all measure', async () => {
    const png = await plain()
    const small = [chunk('iCCP', latin('icc\0\0first')), chunk('eXIf', turned(6))]
    const again = [chunk('iCCP', latin('icc\0\0second')), chunk('eXIf', turned(3))]
    expect(trimmed(pngWith(png, ...small, ...again))).toEqual(trimmed(pngWith(png, ...small)))
    const large = [chunk('iCCP', new Uint8Array(5_000_000)), chunk('eXIf', new Uint8Array(70_000))]
    expect(trimmed(pngWith(png, ...large))).toEqual(trimmed(png))
  })

  test('EXIF still turns the picture', async () => {
    const png = pngWith(
      await encoded(noisePicture(80, 40).png()),
      chunk('eXIf', turned(6)),
      chunk('tEXt', latin('a\0b')),
    )
    const { autoOrient } = await sharp(trimmed(png)).metadata()
    expect(autoOrient).toEqual({ width: 40, height: 80 })
  })

  test('one that is cut off within a chunk stays as it is from there on', async () => {
    const png = await plain()
    const cut = concat(png.subarray(0, 33), latin('\x7f\xff\xff\xfftEXt'))
    expect(trimmed(cut)).toBe(cut)
  })
})

describe('JPEG', () => {
  test('comments, remarks of editors and foreign headers are cut out before the picture', async () => {
    const jpeg = await encoded(noisePicture(64, 64).jpeg({ progressive: true }))
    const remarks = [
      segment(0xfe, latin('a comment')),
      segment(0xed, latin('Photoshop 3.0\0')),
      segment(0xe1, latin('http://ns.adobe.com/xap/1.0/\0')),
      segment(0xe5, latin('anything')),
    ]
    expect(trimmed(jpegWith(jpeg, ...remarks, ...remarks))).toEqual(jpeg)
  })

  test('EXIF and profile stay: the first EXIF, and a profile of at most 4 MiB', async () => {
    const jpeg = await encodeJpeg(80, 40)
    const exif = segment(0xe1, concat(latin('Exif\0\0'), turned(6)))
    const part = (n: number, of: number) =>
      segment(0xe2, concat(latin('ICC_PROFILE\0'), new Uint8Array([n, of]), new Uint8Array(60_000)))
    const kept = jpegWith(jpeg, exif, part(1, 2), part(2, 2))
    expect(trimmed(kept)).toBe(kept)
    expect(trimmed(jpegWith(jpeg, exif, exif))).toEqual(jpegWith(jpeg, exif))
    const many = Array.from({ length: 100 }, (_, n) => part(n + 1, 100))
    expect(trimmed(jpegWith(jpeg, exif, ...many))).toEqual(jpegWith(jpeg, exif))
  })

  test('a hundred scans are drawn, more are refused in words', async () => {
    const few = await scannedOver(50)
    expect(trimmed(few)).toBe(few)
    const many = await scannedOver(200)
    expect(() => trimmed(many)).toThrow(RefusedPicture)
    expect(() => trimmed(many)).toThrow('too many scans')
  })
})

describe('WebP', () => {
  test('an animation is cut to its first frame', async () => {
    const animated = await encoded(frames(30).webp())
    const first = trimmed(animated)
    expect(first.length).toBeLessThan(animated.length / 5)
    expect(await sharp(first).metadata()).toMatchObject({ width: 64, height: 64 })
    expect(await pixelsOf(first)).toEqual(await pixelsOf(animated))
  })

  test('so is one of very many frames', async () => {
    const first = trimmed(await tinyFrames(200_000))
    expect(first.length).toBeLessThan(300)
    expect(await sharp(first).metadata()).toMatchObject({ width: 64, height: 64 })
  })

  test('remarks are cut out, profile and EXIF stay', async () => {
    const webp = await encoded(
      noisePicture(80, 40)
        .withMetadata({ orientation: 6 })
        .withXmp('<x:xmpmeta/>')
        .withIccProfile('p3')
        .webp(),
    )
    expect(Buffer.from(webp).includes('XMP ')).toBe(true)
    const metadata = await sharp(trimmed(webp)).metadata()
    expect(metadata.xmp).toBeUndefined()
    expect(metadata.icc).toBeDefined()
    expect(metadata.orientation).toBe(6)
    expect(await pixelsOf(trimmed(webp))).toEqual(await pixelsOf(webp))
  })
})

test(`${MUTANTS} damaged pictures: nothing grows, nothing throws but refusals, and what could be decoded still can`, async () => {
  const samples = [...(await samplePictures())]
  const files = samples.map(([, bytes]) => bytes)
  const random = seededRandom(readRepetitions('TRIM_SEED', 5))
  const others: string[] = []
  let decoded = 0
  for (let n = 0; n < MUTANTS; n++) {
    const [name, sample] = random.pick(samples)
    const { faults, bytes } = mutate(sample, random, files)
    if (!pictureType(bytes)) continue
    const result = trimmed(bytes)
    expect(result.length).toBeLessThanOrEqual(bytes.length)
    const before = await pixelsOf(bytes)
    if (!before) continue
    decoded++
    const after = await pixelsOf(result)
    if (!after?.equals(before))
      others.push(`mutant ${n} of ${name} (${faults}): ${after ? 'other' : 'no'} pixels`)
  }
  expect(others).toEqual([])
  expect(decoded).toBeGreaterThan(MUTANTS * 0.05)
}, 600_000)

test('no file of nonsense behind a magic number makes it fail', () => {
  const random = seededRandom(3)
  const starts = [
    '\x89PNG\r\n\x1a\n',
    '\xff\xd8\xff',
    'RIFF\xff\xff\xff\xffWEBPVP8X',
    'GIF89a',
    '\0\0\0\x1cftypavif',
  ]
  for (let n = 0; n < 3_000; n++) {
    const bytes = concat(latin(random.pick(starts)), random.bytes(random.below(400)))
    expect(trimmed(bytes).length).toBeLessThanOrEqual(bytes.length)
  }
})
