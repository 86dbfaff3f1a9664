import sharp from 'sharp'

/** Draws different JPEGs of 800 × 1000 pixels with soft ground, texture and edges, which compress like photographs. */
export async function drawPhotographs(count: number): Promise<Uint8Array<ArrayBuffer>[]> {
  const drawn: Uint8Array<ArrayBuffer>[] = []
  for (let seed = 0; seed < count; seed++) drawn.push(await drawPhotograph(seed))
  return drawn
}

async function drawPhotograph(seed: number): Promise<Uint8Array<ArrayBuffer>> {
  const texture = new Uint8Array(96 * 96 * 3).map(
    (_, n) => (Math.imul(n + seed * 7919, 2654435761) >>> 24) >> 1,
  )
  const product = await sharp(texture, { raw: { width: 96, height: 96, channels: 3 } })
    .resize(480, 700, { fit: 'fill' })
    .tint({ r: (seed * 37) % 256, g: (seed * 91) % 256, b: (seed * 151) % 256 })
    .png()
    .toBuffer()
  const ground = { create: { width: 800, height: 1000, channels: 3 as const, background: '#f6f6f4' } }
  const jpeg = await sharp(ground)
    .composite([{ input: product }])
    .jpeg({ quality: 85 })
    .toBuffer()
  return new Uint8Array(jpeg)
}
