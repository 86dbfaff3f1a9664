/** One message between the service and an embedder process: a small JSON head followed by raw bytes. */
export interface Frame {
  head: unknown
  body: Uint8Array
}

const PREFIX_BYTES = 8
/** Heads hold an id and, in answers, the facts of one picture. */
const HEAD_BYTES_MAX = 64 * 1024

/**
 * Encodes a head and the length of the body that must follow: two 32-bit little-endian lengths, then the JSON.
 *
 * Plain frames transfer 10 MB in half the time of structured clones. They also ensure that a process compromised by a
 * hostile picture can send nothing but JSON and floats.
 */
export function encodeHead(head: unknown, bodyBytes: number): Uint8Array {
  const json = new TextEncoder().encode(JSON.stringify(head))
  const start = new Uint8Array(PREFIX_BYTES + json.length)
  const view = new DataView(start.buffer)
  view.setUint32(0, json.length, true)
  view.setUint32(4, bodyBytes, true)
  start.set(json, PREFIX_BYTES)
  return start
}

/** Reassembles frames from the chunks of a pipe and passes each to `onFrame`, which owns the body. */
export class FrameReader {
  readonly #onFrame: (frame: Frame) => void
  readonly #bodyBytesMax: number
  readonly #prefix = new Uint8Array(PREFIX_BYTES)
  /** The buffer being filled: first the prefix, then head and body in one piece. */
  #target = this.#prefix
  #filled = 0
  #headBytes = 0

  /** @param bodyBytesMax longest body allowed; a longer one throws in {@link push}. */
  constructor(bodyBytesMax: number, onFrame: (frame: Frame) => void) {
    this.#bodyBytesMax = bodyBytesMax
    this.#onFrame = onFrame
  }

  /** Whether the start of a frame has arrived but not its end. */
  get isPartial(): boolean {
    return this.#target !== this.#prefix || this.#filled > 0
  }

  /** @throws Error when the bytes are not valid frames or a frame is too long. */
  push(chunk: Uint8Array): void {
    let offset = 0
    while (offset < chunk.length) {
      const length = Math.min(this.#target.length - this.#filled, chunk.length - offset)
      this.#target.set(chunk.subarray(offset, offset + length), this.#filled)
      this.#filled += length
      offset += length
      if (this.#filled === this.#target.length) this.#advance()
    }
  }

  #advance(): void {
    this.#filled = 0
    if (this.#target === this.#prefix) {
      const view = new DataView(this.#prefix.buffer)
      this.#headBytes = view.getUint32(0, true)
      const bodyBytes = view.getUint32(4, true)
      if (this.#headBytes === 0 || this.#headBytes > HEAD_BYTES_MAX || bodyBytes > this.#bodyBytesMax) {
        throw new Error('A frame between the processes has an impossible length')
      }
      this.#target = new Uint8Array(this.#headBytes + bodyBytes)
      return
    }
    const whole = this.#target
    this.#target = this.#prefix
    const head: unknown = JSON.parse(new TextDecoder().decode(whole.subarray(0, this.#headBytes)))
    this.#onFrame({ head, body: whole.subarray(this.#headBytes) })
  }
}
