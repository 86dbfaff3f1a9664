import { ApiError } from '../../src/core/errors.ts'
import type { Embedder, ModelFingerprint, SeenFacts } from '../../src/platform/embedder/embedder.ts'

export const DIMENSION = 8

const FACTS: SeenFacts = {
  width: 640,
  height: 480,
  contentType: 'image/jpeg',
  phash: '0123456789abcdef',
  palette: [{ hex: '#cc0000', share: 0.7 }],
  object: null,
}

/**
 * Creates a predictable model: the bytes `picture:1,2` and the text `1 2` both lie between axes 1 and 2. It refuses other
 * bytes as unreadable.
 */
export function fakeEmbedder(model: Partial<ModelFingerprint> = {}): Embedder {
  const { dimension = DIMENSION } = model
  return {
    model: { id: 'fake', hash: 'f'.repeat(64), dimension, ...model },
    // Steep enough that an angle of 45 degrees is still plausible.
    calibration: { image_image: { midpoint: 0.7, slope: 10 }, text_image: { midpoint: 0.7, slope: 10 } },
    status: () => ({ state: 'ready' }),
    async embedPicture(bytes, options) {
      const axes = /^picture:([\d,]+)/.exec(new TextDecoder().decode(bytes))?.[1]
      if (axes === undefined) throw new ApiError('image_unreadable', 'The picture is damaged')
      const thumbnail = options.thumbnail && { thumbnail: drawn(axes, options.thumbnail) }
      return { vector: between(axes.split(',').map(Number), dimension), facts: FACTS, ...thumbnail }
    },
    async seePicture(bytes, options) {
      const { facts, thumbnail } = await this.embedPicture(bytes, options)
      return { facts, ...(thumbnail && { thumbnail }) }
    },
    announcePicture: () => () => {},
    async embedText(text) {
      return {
        vector: between(
          [...text.matchAll(/\d+/g)].map(([number]) => Number(number)),
          dimension,
        ),
        isTruncated: text.length > 300,
        isUnknown: /^blorf$/.test(text),
      }
    },
    close: async () => {},
  }
}

/** Stands for a WebP picture of these axes. */
const drawn = (axes: string, side: number): Uint8Array =>
  new TextEncoder().encode(`RIFF....WEBP picture ${axes} of ${side} pixels`)

/** Computes the unit vector between some axes; without any, that of the last axis. */
function between(axes: number[], dimension: number): Float32Array {
  const vector = new Float32Array(dimension)
  for (const axis of axes.length > 0 ? axes : [dimension - 1]) vector[axis % dimension] = 1
  const length = Math.hypot(...vector)
  return vector.map((value) => value / length)
}
