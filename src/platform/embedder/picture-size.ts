/** Largest picture that decodes within milliseconds, in parallel with others. */
export const SMALL_PIXELS = 4_000_000
/** A larger picture can take a second or more, and hundreds of megabytes. */
const GIANT_PIXELS = 12_000_000

export type PictureSize = 'small' | 'large' | 'giant'

/** Classifies a picture by its decoding work in pixels. */
export function classifySize(pixels: number): PictureSize {
  if (pixels > GIANT_PIXELS) return 'giant'
  return pixels > SMALL_PIXELS ? 'large' : 'small'
}
