import { ApiError } from '../core/errors.ts'
import { LIMITS } from '../core/limits.ts'
import { validationError } from './validation.ts'

/** One part of a multipart body; its bytes are a view of the body. */
export interface Part {
  name: string
  isFile: boolean
  bytes: Buffer
}

/** RFC 2046 §5.1.1. */
const BOUNDARY_CHARS_MAX = 70

/** Name, file name and type of one part. */
const HEAD_BYTES_MAX = 8 * 1024

const LINE_END = '\r\n'
const DASHES = '--'

/**
 * Splits a `multipart/form-data` body (RFC 7578) without copying it.
 *
 * @param type the Content-Type, which names the boundary.
 * @throws ApiError `invalid_request` for a malformed body, `validation_error` for a body with too many parts, before the
 *   surplus parts are read.
 */
export function splitMultipart(body: Uint8Array, type: string): Part[] {
  const bytes = Buffer.from(body.buffer, body.byteOffset, body.byteLength)
  const delimiter = Buffer.from(DASHES + readBoundary(type), 'latin1')
  const inner = Buffer.concat([Buffer.from(LINE_END), delimiter])
  const parts: Part[] = []
  // Text for readers without MIME may precede the first delimiter.
  const first = bytes.subarray(0, delimiter.length).equals(delimiter) ? 0 : bytes.indexOf(inner)
  if (first < 0) throw malformed()
  let at = first === 0 ? delimiter.length : first + inner.length
  while (!startsWith(bytes, at, DASHES)) {
    const start = skipLine(bytes, at)
    const end = bytes.indexOf(inner, start - LINE_END.length)
    if (end < 0) throw malformed()
    if (parts.length === LIMITS.formFieldsMax) throw tooManyFields()
    parts.push(readPart(bytes.subarray(start, Math.max(start, end))))
    at = end + inner.length
  }
  return parts
}

function readBoundary(type: string): string {
  const [, quoted, plain] = /;\s*boundary=(?:"([^"]*)"|([^\s;"]+))/i.exec(type) ?? []
  const boundary = quoted ?? plain ?? ''
  if (boundary === '' || boundary.length > BOUNDARY_CHARS_MAX) throw malformed()
  return boundary
}

const startsWith = (bytes: Buffer, at: number, text: string): boolean =>
  bytes.toString('latin1', at, at + text.length) === text

/** Skips the line end after a delimiter, and white space before it. */
function skipLine(bytes: Buffer, from: number): number {
  let at = from
  while (bytes[at] === 0x20 || bytes[at] === 0x09) at++
  if (!startsWith(bytes, at, LINE_END)) throw malformed()
  return at + LINE_END.length
}

const END_OF_HEAD = Buffer.from(LINE_END + LINE_END)

function readPart(part: Buffer): Part {
  const head = part.subarray(0, HEAD_BYTES_MAX + END_OF_HEAD.length)
  const end = head.indexOf(END_OF_HEAD)
  if (end < 0) throw malformed()
  const disposition = head
    .toString('utf8', 0, end)
    .split(LINE_END)
    .find((line) => /^content-disposition\s*:/i.test(line))
  const { name, isFile } = readParameters(disposition ?? '')
  if (name === undefined) throw malformed()
  return { name, isFile, bytes: part.subarray(end + END_OF_HEAD.length) }
}

const FORM_DATA = /^content-disposition\s*:\s*form-data\s*/i
const PARAMETER = /;\s*([^\s=;"]+)\s*=\s*(?:"([^"]*)"|([^\s;"]*))\s*/gy

/** Reads the name and the kind of a part; browsers write `"` and line ends as %22, %0D and %0A (WHATWG HTML). */
function readParameters(header: string): { name: string | undefined; isFile: boolean } {
  const found = { name: undefined as string | undefined, isFile: false }
  PARAMETER.lastIndex = FORM_DATA.exec(header)?.[0].length ?? header.length
  for (const [, key = '', quoted, plain] of header.matchAll(PARAMETER)) {
    const value = quoted?.replace(/%(?:22|0d|0a)/gi, (code) => decodeURIComponent(code))
    if (key.toLowerCase() === 'name') found.name ??= value ?? plain
    else if (/^filename\*?$/i.test(key)) found.isFile = true
  }
  return found
}

const malformed = () => new ApiError('invalid_request', 'The multipart body is malformed')

const tooManyFields = () =>
  validationError([
    {
      in: 'body',
      pointer: '',
      code: 'too_large',
      message: `must have at most ${LIMITS.formFieldsMax} fields`,
    },
  ])
