import sharp from 'sharp'

/** A photograph as a phone writes it: lying on its side, with the turn, the place and the owner in its EXIF. */
export const phonePhoto = (): Promise<Buffer> =>
  sharp({ create: { width: 1200, height: 900, channels: 3, background: '#d9cbb8' } })
    .composite([
      {
        input: Buffer.from(
          '<svg width="1200" height="900"><rect x="150" y="200" width="400" height="500" rx="60" fill="#3c6e71"/></svg>',
        ),
      },
    ])
    .withExif({
      IFD0: { Artist: 'SECRET-OWNER', Orientation: '6' },
      IFD3: {
        GPSLatitudeRef: 'N',
        GPSLatitude: '54/1 19/1 30/1',
        GPSLongitudeRef: 'E',
        GPSLongitude: '10/1 8/1 0/1',
      },
    })
    .withMetadata({ orientation: 6 })
    .jpeg()
    .toBuffer()

/** A plain picture of a size. */
export const plain = (width: number, height: number): Promise<Buffer> =>
  sharp({ create: { width, height, channels: 3, background: '#b0595f' } })
    .jpeg()
    .toBuffer()

/** A PNG whose header promises 40 million pixels, and which holds none. */
export async function giantByHeader(): Promise<Buffer> {
  const bytes = Buffer.from(
    await sharp({ create: { width: 64, height: 64, channels: 3, background: '#fff' } })
      .png()
      .toBuffer(),
  )
  bytes.writeUInt32BE(8000, 16)
  bytes.writeUInt32BE(5000, 20)
  return bytes
}

/** The first boxes of a HEIC file of 4032 × 3024 pixels, without its pictures. */
export function heicHeader(): Buffer {
  const box = (type: string, ...content: Buffer[]) => {
    const body = Buffer.concat(content)
    const size = Buffer.alloc(4)
    size.writeUInt32BE(body.length + 8)
    return Buffer.concat([size, Buffer.from(type), body])
  }
  const size = Buffer.alloc(12)
  size.writeUInt32BE(4032, 4)
  size.writeUInt32BE(3024, 8)
  return Buffer.concat([
    box('ftyp', Buffer.from('heic\0\0\0\0mif1heic')),
    box('meta', Buffer.alloc(4), box('iprp', box('ipco', box('ispe', size)))),
    Buffer.alloc(64),
  ])
}
