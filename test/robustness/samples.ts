import sharp, { type Sharp } from 'sharp'
import { encoded, noisePicture } from '../platform/embedder/pictures.ts'

/** Sound pictures of every format and most variants, small enough for thousands of mutations. */
export async function samplePictures(): Promise<Map<string, Uint8Array>> {
  const noise = (seed: number) => noisePicture(96, 80, seed)
  const wide = await sharp(await noise(3).raw().toBuffer(), {
    raw: { width: 96, height: 80, channels: 3 },
  })
    .toColourspace('rgb16')
    .png()
    .toBuffer()
  const made: Record<string, Promise<Uint8Array>> = {
    'jpeg, baseline': encoded(noise(1).jpeg({ quality: 80 })),
    'jpeg, progressive with restart markers': encoded(noise(2).jpeg({ progressive: true, mozjpeg: true })),
    'jpeg, turned by EXIF, with a profile': encoded(
      noise(3).withMetadata({ orientation: 6 }).withIccProfile('p3').jpeg(),
    ),
    'jpeg, CMYK': encoded(noise(4).toColourspace('cmyk').jpeg()),
    'jpeg, grey': encoded(noise(5).greyscale().jpeg()),
    'png, rgb': encoded(noise(6).png()),
    'png, palette': encoded(noise(7).png({ palette: true, colours: 16 })),
    'png, interlaced with alpha': encoded(noise(8).ensureAlpha(0.5).png({ progressive: true })),
    'png, 16 bits': Promise.resolve(new Uint8Array(wide)),
    'webp, lossy': encoded(noise(9).webp({ quality: 70 })),
    'webp, lossless with alpha': encoded(noise(10).ensureAlpha(0.3).webp({ lossless: true })),
    'webp, animated': encoded(frames(4).webp()),
    avif: encoded(noise(11).avif({ quality: 50, effort: 1 })),
    'avif, with alpha': encoded(noise(12).ensureAlpha(0.5).avif({ quality: 50, effort: 1 })),
    gif: encoded(noise(13).gif()),
    'gif, animated': encoded(frames(4).gif()),
  }
  const names = Object.keys(made)
  const bytes = await Promise.all(Object.values(made))
  return new Map(names.map((name, n) => [name, bytes[n] as Uint8Array]))
}

/** An animation of `count` different frames of 64 x 64 pixels. */
export function frames(count: number): Sharp {
  const data = Uint8Array.from({ length: count * 64 * 64 * 3 }, (_, i) => (i * 7 + (i >> 9) * 13) & 255)
  return sharp(data, { raw: { width: 64, height: 64 * count, channels: 3, pageHeight: 64 } })
}
