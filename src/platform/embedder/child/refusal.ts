import type { PictureRefusal } from '../messages.ts'

/** A picture that is refused; the service turns this into an ApiError with the same code. */
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
