import { validationError } from '../../../http/validation.ts'
import type { PictureCrop } from '../../../platform/embedder/embedder.ts'
import type { CropFields } from './schema.ts'

/**
 * Reads the part of a picture that a request asks for: `crop`, or the four corners of `box`, which are shares of the picture
 * where none exceeds 1, and pixels otherwise.
 *
 * @param pointer of the object that has the fields.
 * @returns undefined for the whole picture.
 * @throws ApiError `validation_error`
 */
export function readCrop({ crop, box, padding }: CropFields, pointer: string): PictureCrop | undefined {
  const problem = (field: string, code: string, message: string) =>
    validationError([{ in: 'body', pointer: `${pointer}/${field}`, code, message }])
  if (crop && box) throw problem('box', 'conflict', 'must not be sent beside crop')
  if (!crop && !box) {
    if (padding !== undefined) throw problem('padding', 'conflict', 'needs crop or box')
    return undefined
  }
  const more = padding === undefined ? {} : { padding }
  if (crop) return { ...crop, unit: crop.unit ?? 'relative', ...more }
  const [x1, y1, x2, y2] = box as [number, number, number, number]
  if (x2 <= x1 || y2 <= y1) throw problem('box', 'order', 'must be [x1, y1, x2, y2] with x1 < x2 and y1 < y2')
  const unit = box?.every((number) => Math.abs(number) <= 1) ? 'relative' : 'pixel'
  return { x: x1, y: y1, width: x2 - x1, height: y2 - y1, unit, ...more }
}

/** The same crop in shares of the picture. */
export function toRelative(
  crop: PictureCrop,
  { width, height }: { width: number; height: number },
): PictureCrop {
  if (crop.unit === 'relative') return crop
  return {
    ...crop,
    x: crop.x / width,
    y: crop.y / height,
    width: crop.width / width,
    height: crop.height / height,
    unit: 'relative',
  }
}
