import { ApiError } from '../../core/errors.ts'
import { type PartHead, readPartHead } from './part-head.ts'

/*
 * The one reader of `multipart/form-data` (RFC 7578). A body in memory is one piece, and the content of each part a view of
 * it: a picture is never copied. A body in a file comes in many pieces, and of those already read the reader keeps only what
 * may belong to the next: the beginning of a head or of a delimiter.
 */

/** Something found in a body. The content of a part comes in any number of pieces. */
export type FormEvent =
  | { kind: 'part'; head: PartHead }
  | { kind: 'content'; bytes: Buffer }
  | { kind: 'end of part' }

export interface ReaderLimits {
  partsMax: number
  /** The error for a body with more parts. The surplus parts are not read. */
  tooManyParts(): ApiError
}

/** RFC 2046 §5.1.1. */
const BOUNDARY_CHARS_MAX = 70

/** Name, file name and type of one part. */
const HEAD_BYTES_MAX = 8 * 1024

const LINE_END = '\r\n'
const DASHES = '--'
const END_OF_HEAD = Buffer.from(LINE_END + LINE_END)

/** The piece of a body that comes next. */
type State = 'start' | 'preamble' | 'delimiter' | 'rest of line' | 'head' | 'content' | 'epilogue'

/**
 * Creates a reader of one body.
 *
 * @param type the Content-Type, which names the boundary.
 * @throws ApiError `invalid_request` for a type without a usable boundary.
 */
export function createMultipartReader(type: string, { partsMax, tooManyParts }: ReaderLimits) {
  const delimiter = Buffer.from(LINE_END + DASHES + readBoundary(type), 'latin1')
  const firstDelimiter = delimiter.subarray(LINE_END.length)
  let state: State = 'start'
  let parts = 0
  let buffer: Buffer = Buffer.alloc(0)
  /** Offset of that piece in the buffer. */
  let at = 0

  function enter(next: State, from: number): undefined {
    state = next
    at = from
  }

  /** Skips to the next place where a delimiter may begin. */
  function starve(): 'starved' {
    at = Math.max(at, buffer.length - delimiter.length + 1)
    return 'starved'
  }

  /** Reads a state to its end. @returns an event, or `starved` if that takes another piece. */
  const readers: Readonly<Record<State, () => FormEvent | 'starved' | undefined>> = {
    start() {
      if (buffer.length < firstDelimiter.length) return 'starved'
      const isDelimiter = buffer.subarray(0, firstDelimiter.length).equals(firstDelimiter)
      return isDelimiter ? enter('delimiter', firstDelimiter.length) : enter('preamble', 0)
    },

    // Text for programs that do not know MIME.
    preamble() {
      const found = buffer.indexOf(delimiter, at)
      return found < 0 ? starve() : enter('delimiter', found + delimiter.length)
    },

    delimiter() {
      if (buffer.length - at < DASHES.length) return 'starved'
      return enter(startsWith(buffer, at, DASHES) ? 'epilogue' : 'rest of line', at)
    },

    'rest of line'() {
      while (buffer[at] === 0x20 || buffer[at] === 0x09) at++
      if (buffer.length - at < LINE_END.length) return 'starved'
      if (!startsWith(buffer, at, LINE_END)) throw malformed()
      if (++parts > partsMax) throw tooManyParts()
      return enter('head', at)
    },

    // Begins with the end of the delimiter's line, with which the next delimiter may begin too.
    head() {
      const start = at + LINE_END.length
      const window = buffer.subarray(start, start + HEAD_BYTES_MAX + END_OF_HEAD.length)
      const length = window.indexOf(END_OF_HEAD)
      if (length < 0 && window.length === HEAD_BYTES_MAX + END_OF_HEAD.length) throw malformed()
      const end = start + length + END_OF_HEAD.length
      // A delimiter may begin with the last line end of the head, which is then not whole.
      const delimiterEnd = end - LINE_END.length + delimiter.length
      if (length < 0 || buffer.length < delimiterEnd) return 'starved'
      const found = buffer.subarray(at, delimiterEnd).indexOf(delimiter)
      // Only a part without content ends with its head.
      const isEmpty = at + found === end - LINE_END.length
      if (found >= 0 && !isEmpty) throw malformed()
      enter('content', isEmpty ? end - LINE_END.length : end)
      return { kind: 'part', head: readPartHead(window.subarray(0, length)) }
    },

    content() {
      const start = at
      const found = buffer.indexOf(delimiter, start)
      if (found < 0) starve()
      else at = found
      if (at > start) return { kind: 'content', bytes: buffer.subarray(start, at) }
      if (found < 0) return 'starved'
      enter('delimiter', found + delimiter.length)
      return { kind: 'end of part' }
    },

    epilogue() {
      at = buffer.length
      return 'starved'
    },
  }

  return {
    /** Reads the next piece of the body. @throws ApiError `invalid_request` for a malformed body, and that of `tooManyParts`. */
    *read(piece: Uint8Array): Generator<FormEvent, void> {
      const bytes = Buffer.from(piece.buffer, piece.byteOffset, piece.byteLength)
      buffer = at < buffer.length ? Buffer.concat([buffer.subarray(at), bytes]) : bytes
      at = 0
      for (let event = readers[state](); event !== 'starved'; event = readers[state]()) {
        if (event) yield event
      }
    },

    /** Ends the body. @throws ApiError `invalid_request` if its last delimiter is missing. */
    finish(): void {
      if (state !== 'epilogue') throw malformed()
    },
  }
}

function readBoundary(type: string): string {
  const [, quoted, plain] = /;\s*boundary=(?:"([^"]*)"|([^\s;"]+))/i.exec(type) ?? []
  const boundary = quoted ?? plain ?? ''
  if (boundary === '' || boundary.length > BOUNDARY_CHARS_MAX) throw malformed()
  return boundary
}

const startsWith = (bytes: Buffer, at: number, text: string): boolean =>
  bytes.toString('latin1', at, at + text.length) === text

export const malformed = (): ApiError => new ApiError('invalid_request', 'The multipart body is malformed')
