/** Up to this size a picture is decoded in some milliseconds, beside any others. */
export const SMALL_PIXELS = 4_000_000
/** Above this size a picture can take a second or more, and hundreds of megabytes. */
const GIANT_PIXELS = 12_000_000

export type PictureSize = 'small' | 'large' | 'giant'

/** The kind of a picture that is as much work as so many pixels. */
export function sizeOf(pixels: number): PictureSize {
  if (pixels > GIANT_PIXELS) return 'giant'
  return pixels > SMALL_PIXELS ? 'large' : 'small'
}
