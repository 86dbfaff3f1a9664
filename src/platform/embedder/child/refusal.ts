import type { PictureRefusal } from '../messages.ts'

/** A picture we do not take; becomes an ApiError of the same code in the service. */
export class RefusedPicture extends Error {
  readonly code: PictureRefusal
  readonly details: Record<string, unknown>

  constructor(code: PictureRefusal, message: string, details: Record<string, unknown> = {}) {
    super(message)
    this.name = 'RefusedPicture'
    this.code = code
    this.details = details
  }
}
