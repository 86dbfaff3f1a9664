import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { ApiError } from '../../../src/core/errors.ts'
import { LIMITS } from '../../../src/core/limits.ts'
import { splitMultipart } from '../../../src/http/multipart/parts.ts'

const TYPE = 'multipart/form-data; boundary=b'

const split = (text: string, type = TYPE) =>
  splitMultipart(Buffer.from(text, 'latin1'), type).map(({ name, isFile, bytes }) => [
    name,
    isFile,
    bytes.toString('latin1'),
  ])

function codeOf(work: () => unknown): string {
  try {
    work()
    return 'none'
  } catch (error) {
    return error instanceof ApiError ? error.code : String(error)
  }
}

const part = (disposition: string, content: string) =>
  `--b\r\nContent-Disposition: ${disposition}\r\n\r\n${content}\r\n`

describe('a multipart body', () => {
  test('what FormData writes is read as it was given', async () => {
    const bytes = fc.uint8Array({ maxLength: 200 })
    const name = fc.stringMatching(/^[ -~ü€"\\%]{1,20}$/)
    const field = fc.record({ name, text: fc.option(fc.string({ unit: 'grapheme', maxLength: 40 })), bytes })
    await fc.assert(
      fc.asyncProperty(fc.array(field, { minLength: 1, maxLength: 5 }), async (fields) => {
        const form = new FormData()
        for (const { name, text, bytes } of fields) {
          if (text === null) form.append(name, new Blob([bytes as Uint8Array<ArrayBuffer>]), 'a "b".png')
          else form.append(name, text)
        }
        const response = new Response(form)
        const type = response.headers.get('content-type') ?? ''
        const parts = splitMultipart(await response.bytes(), type)
        expect(parts.map(({ isFile }) => isFile)).toEqual(fields.map(({ text }) => text === null))
        for (const [n, { text, bytes }] of fields.entries()) {
          const given = text === null ? Buffer.from(bytes) : Buffer.from(text.replace(/\r?\n|\r/g, '\r\n'))
          const read =
            text === null
              ? parts[n]?.bytes
              : Buffer.from(String(parts[n]?.bytes).replace(/\r?\n|\r/g, '\r\n'))
          expect(read?.equals(given)).toBe(true)
        }
      }),
      { numRuns: 200 },
    )
  })

  test.each([
    ['form-data; name="a"', 'a', false],
    ['form-data; name=a', 'a', false],
    ['Form-Data ; NAME="a"', 'a', false],
    ['form-data; name="a"; filename="x.png"', 'a', true],
    ['form-data; filename="x; name=y"; name="a"', 'a', true],
    ['form-data; name="x; filename=y"', 'x; filename=y', false],
    ['form-data; name="a"; filename=""', 'a', true],
    ['form-data; name="a"; filename*=UTF-8\'\'x', 'a', true],
    ['form-data; name="a\\"', 'a\\', false],
    ['form-data; name="a"; filename="b\\"c.png"', 'a', true],
    ['form-data; name="a%22b%0D%0Ac%41"', 'a"b\r\nc%41', false],
    ['form-data; name=""', '', false],
  ])('%s', (disposition, name, isFile) => {
    expect(split(`${part(disposition, 'text')}--b--`)).toEqual([[name, isFile, 'text']])
  })

  test('further headers, a preamble, an epilogue, spaces behind a delimiter and lines in a text', () => {
    const text =
      'hello\r\n--b  \r\nContent-Type: text/plain\r\ncontent-disposition: form-data; name="a"\r\n\r\n1\r\n2\n--c\r\n\r\n--b-- bye'
    expect(split(text)).toEqual([['a', false, '1\r\n2\n--c\r\n']])
    expect(split('--b--')).toEqual([])
    expect(split(`${part('form-data; name="a"', '')}--b--\r\n`)).toEqual([['a', false, '']])
  })

  test('the parts are views: nothing is copied', () => {
    const body = Buffer.from(`${part('form-data; name="a"', 'text')}--b--`)
    expect(splitMultipart(body, TYPE)[0]?.bytes.buffer).toBe(body.buffer)
  })

  test.each([
    ['nothing', ''],
    ['no delimiter', 'text'],
    ['cut off', '--b\r\nContent-Disposition: form-data; name="a"\r\n\r\ntext'],
    ['no end', part('form-data; name="a"', 'text')],
    ['no end of the head', '--b\r\nContent-Disposition: form-data; name="a"\r\n--b--'],
    ['no disposition', '--b\r\nX: y\r\n\r\ntext\r\n--b--'],
    ['another disposition', `${part('attachment; name="a"', 'x')}--b--`],
    ['no name', `${part('form-data', 'x')}--b--`],
    ['no line behind the delimiter', '--bContent-Disposition: form-data; name="a"\r\n\r\nx\r\n--b--'],
    [
      'a head of 9 KiB',
      `--b\r\nX: ${'y'.repeat(9 * 1024)}\r\nContent-Disposition: form-data; name="a"\r\n\r\nx\r\n--b--`,
    ],
  ])('invalid_request: %s', (_, text) => {
    expect(codeOf(() => split(text))).toBe('invalid_request')
  })

  test.each(['multipart/form-data', 'multipart/form-data; boundary=', `${TYPE}${'x'.repeat(70)}`])(
    'invalid_request: %s',
    (type) => {
      expect(codeOf(() => split('--b--', type))).toBe('invalid_request')
    },
  )

  test.each(['multipart/form-data; charset=utf-8; boundary="b"', 'multipart/form-data;BOUNDARY=b; x=y'])(
    '%s names the boundary b',
    (type) => expect(split('--b--', type)).toEqual([]),
  )

  test('200 fields pass, one more is a validation_error, whatever follows', () => {
    const fields = part('form-data; name="a"', '1').repeat(LIMITS.formFieldsMax)
    expect(split(`${fields}--b--`)).toHaveLength(200)
    expect(codeOf(() => split(`${fields}${part('form-data; name="b"', '1')}--b--`))).toBe('validation_error')
    expect(codeOf(() => split(`${fields}${part('form-data; name="b"', '1')}--b\r\nbroken`))).toBe(
      'validation_error',
    )
  })
})
