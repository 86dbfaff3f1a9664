import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { ApiError } from '../../../src/core/errors.ts'
import { createMultipartReader } from '../../../src/http/multipart/reader.ts'

const TYPE = 'multipart/form-data; boundary=b'
const HEAD = '--b\r\nContent-Disposition: form-data; name="a"\r\n\r\n'

const tooMany = () => new ApiError('validation_error', 'too many parts')

/** The parts of a body that comes in pieces, or the code of its refusal and how many bytes were read before. */
function read(pieces: readonly Uint8Array[], partsMax = 10): unknown {
  const reader = createMultipartReader(TYPE, { partsMax, tooManyParts: tooMany })
  const parts: [name: string | undefined, content: string][] = []
  let bytes = 0
  try {
    for (const piece of pieces) {
      bytes += piece.length
      for (const event of reader.read(piece)) {
        if (event.kind === 'part') parts.push([event.head.name, ''])
        else if (event.kind === 'content')
          (parts.at(-1) as [unknown, string])[1] += event.bytes.toString('latin1')
      }
    }
    reader.finish()
    return parts
  } catch (error) {
    return error instanceof ApiError ? { code: error.code, bytes } : error
  }
}

function cut(body: Buffer, size: number): Buffer[] {
  const pieces: Buffer[] = []
  for (let at = 0; at < body.length; at += size) pieces.push(body.subarray(at, at + size))
  return pieces
}

const whole = (text: string, partsMax?: number) => read([Buffer.from(text, 'latin1')], partsMax)
const codeOf = (result: unknown) => (result as { code?: string }).code

describe('a multipart body in pieces', () => {
  test('is read alike, wherever it is cut', () => {
    const chunk = fc.constantFrom('--b', '\r\n', '\r\n--b', '--', ' ', HEAD, 'text', '-', '\r', `\r\n${HEAD}`)
    const body = fc.array(chunk, { maxLength: 12 }).map((chunks) => `${chunks.join('')}\r\n--b--`)
    fc.assert(
      fc.property(body, fc.integer({ min: 1, max: 20 }), (text, size) => {
        const expected = whole(text)
        const found = read(cut(Buffer.from(text), size))
        if (Array.isArray(expected)) expect(found).toEqual(expected)
        else expect(codeOf(found)).toBe(codeOf(expected) as string)
      }),
      { numRuns: 2_000 },
    )
  })

  test('gives a content that lies in one piece as a view of it', () => {
    const body = Buffer.from(`${HEAD}text\r\n--b--`)
    const reader = createMultipartReader(TYPE, { partsMax: 1, tooManyParts: tooMany })
    const contents = [...reader.read(body)].flatMap((event) =>
      event.kind === 'content' ? [event.bytes] : [],
    )
    expect(contents.map(String)).toEqual(['text'])
    expect(contents[0]?.buffer).toBe(body.buffer)
  })

  test('with a head of 8 MB is refused within the first 8 KiB of it', () => {
    const head = Buffer.from(`--b\r\nX: ${'y'.repeat(8 * 1024 * 1024)}`)
    expect(read(cut(head, 1024))).toEqual({ code: 'invalid_request', bytes: 9 * 1024 })
  })

  test('with more parts than allowed is refused at the head of the first one too many', () => {
    const parts = `${HEAD}1\r\n`.repeat(3)
    expect(whole(`${parts}--b--`, 3)).toHaveLength(3)
    expect(codeOf(whole(`${parts}--b\r\nbroken`, 2))).toBe('validation_error')
  })

  test.each([
    ['its last delimiter', `${HEAD}text`],
    ['the dashes of its last delimiter', `${HEAD}text\r\n--b`],
    ['one of these dashes', `${HEAD}text\r\n--b-`],
    ['the line end before a delimiter', `${HEAD}text--b--`],
  ])('that lacks %s is refused', (_, text) => {
    expect(codeOf(whole(text))).toBe('invalid_request')
    expect(codeOf(read(cut(Buffer.from(text), 1)))).toBe('invalid_request')
  })

  test.each([
    ['a line end before the first delimiter', `\r\n${HEAD}text\r\n--b--`],
    [
      'a header that goes on in the next line',
      '--b\r\nContent-Disposition: form-data;\r\n name="a"\r\n\r\ntext\r\n--b--',
    ],
    ['white space after a delimiter', `${HEAD.replace('--b', '--b \t')}text\r\n--b--`],
    [
      'no content and no line end before the delimiter',
      `${HEAD}--b\r\nContent-Disposition: form-data; name="a"\r\n\r\ntext\r\n--b--`,
      [['a', '']],
    ],
    ['text around it', `hello\r\n${HEAD}text\r\n--b--\r\n--b\r\nbye`],
  ] as [string, string, [string, string][]?][])('with %s is read', (_, text, before = []) => {
    expect(whole(text)).toEqual([...before, ['a', 'text']])
    expect(read(cut(Buffer.from(text), 1))).toEqual([...before, ['a', 'text']])
  })
})
