import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { ApiError } from '../../../src/core/errors.ts'
import { parseJson, parseJsonField } from '../../../src/http/json/text.ts'

const bytes = (text: string) => new TextEncoder().encode(text)

/** What a body is refused with. */
async function refusal(body: Uint8Array | string) {
  try {
    await parseJson(typeof body === 'string' ? bytes(body) : body)
  } catch (error) {
    if (!(error instanceof ApiError)) throw error
    return { code: error.code, message: error.message, details: error.extras.details }
  }
  throw new Error('it was taken')
}

describe('400 invalid_json tells line and column, counted from 1 (contract 1.3)', () => {
  test.each([
    ['{', 1, 2],
    ['{"a":1,}', 1, 8],
    ['{"a":1}x', 1, 8],
    ['{"a":\n  1,\n  b}', 3, 3],
    ['[1,2', 1, 5],
    ['nul', 1, 1],
    ['// no comments\n{}', 1, 1],
    ["{'a':1}", 1, 2],
  ])('%p at line %p, column %p', async (text, line, column) => {
    const { code, message, details } = await refusal(text)
    expect(code).toBe('invalid_json')
    expect(details).toEqual({ line, column })
    expect(message).toMatch(/^The body is not valid JSON: [a-z ]+ at line \d+, column \d+$/)
  })

  test.each([[''], ['  \n\t ']])('an empty body %p is told as empty', async (text) => {
    expect(await refusal(text)).toMatchObject({
      message: 'The body is empty',
      details: { line: 1, column: 1 },
    })
  })

  test('the message never repeats the body', async () => {
    expect((await refusal('{"password":"hunter2" oops}')).message).not.toContain('hunter2')
  })

  test('every text that is no JSON is refused with a place inside it', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.oneof(
          fc.string(),
          fc.json().chain((json) => fc.nat(json.length).map((n) => json.slice(0, n))),
        ),
        async (text) => {
          try {
            JSON.parse(text)
          } catch {
            const { code, details } = await refusal(text)
            expect(code).toBe('invalid_json')
            const { line, column } = details as { line: number; column: number }
            const lines = text.split('\n')
            expect(line).toBeLessThanOrEqual(lines.length)
            expect(column).toBeLessThanOrEqual((lines[line - 1] ?? '').length + 1)
          }
        },
      ),
      { numRuns: 300 },
    )
  })
})

describe('bytes', () => {
  test('invalid UTF-8 is refused, never replaced', async () => {
    expect(await refusal(new Uint8Array([0x22, 0xff, 0x22]))).toMatchObject({
      code: 'invalid_json',
      message: 'The body is not valid UTF-8',
    })
    expect((await refusal(new Uint8Array([0x22, 0xed, 0xa0, 0x80, 0x22]))).message).toContain('UTF-8')
  })

  test('a byte order mark in front is passed over (RFC 8259 §8.1)', async () => {
    expect(await parseJson(bytes('\ufeff{"a":1}'))).toEqual({ a: 1 })
  })

  test('JSON comes out as JSON.parse has it', async () => {
    await fc.assert(
      fc.asyncProperty(fc.jsonValue({ maxDepth: 5, noUnicodeString: false }), async (value) => {
        const text = JSON.stringify(value)
        if (!text.includes('__proto__')) expect(await parseJson(bytes(text))).toEqual(JSON.parse(text))
      }),
      { numRuns: 200 },
    )
  })
})

describe('keys that reach for prototypes', () => {
  test.each([
    '{"__proto__":{"isAdmin":true},"a":1}',
    '{"\\u005f_proto__":{"isAdmin":true},"a":1}',
    '{"\\u005F\\u005Fproto\\u005F\\u005F":{"isAdmin":true},"a":1}',
    '{"\\u005F\\u005Fproto\\u005f\\u005f":{"isAdmin":true},"a":1}',
  ])('%p: the key is dropped, on every level', async (text) => {
    for (const value of [
      await parseJson(bytes(text)),
      ((await parseJson(bytes(`[{"b":${text}}]`))) as { b: object }[])[0]?.b,
    ]) {
      expect(Object.getOwnPropertyNames(value)).toEqual(['a'])
      expect(({ ...(value as object) } as { isAdmin?: boolean }).isAdmin).toBeUndefined()
    }
  })

  test('`constructor` is a name like any other', async () => {
    expect(await parseJson(bytes('{"constructor":{"prototype":1}}'))).toEqual(
      JSON.parse('{"constructor":{"prototype":1}}'),
    )
  })
})

describe('depth', () => {
  const nested = (levels: number) => '['.repeat(levels) + ']'.repeat(levels)

  test('64 levels pass, 65 do not', async () => {
    expect(await parseJson(bytes(nested(64)))).toBeArray()
    expect(await refusal(nested(65))).toMatchObject({ code: 'invalid_json', details: { max_depth: 64 } })
  })

  test.each([10_000, 500_000])(
    '%p levels are refused without a stack overflow, whole or cut off',
    async (levels) => {
      expect((await refusal(nested(levels))).details).toEqual({ max_depth: 64 })
      expect((await refusal(`{"a":${'['.repeat(levels)}`)).code).toBe('invalid_json')
    },
  )
})

describe('numbers that no double can hold', () => {
  const problems = async (text: string) =>
    ((await refusal(text)).details as { errors: Record<string, string>[] }).errors

  test.each([
    ['1e400', ''],
    ['[1,-1e400]', '/1'],
    ['{"metadata":{"a":1e400}}', '/metadata/a'],
    ['{"a":[{"b/c~d":[0,1e999]}]}', '/a/0/b~1c~0d/1'],
    [`{"a":${'9'.repeat(310)}}`, '/a'],
  ])('%p is refused at %p', async (text, pointer) => {
    expect((await refusal(text)).code).toBe('validation_error')
    expect(await problems(text)).toEqual([
      {
        in: 'body',
        pointer,
        code: 'type',
        message: 'must be a number within the range of a double',
        expected: 'number',
        received: 'number out of range',
      },
    ])
  })

  test('all of them are named, up to the limit of a 422', async () => {
    expect(await problems('[1e400,0,1e400]')).toMatchObject([{ pointer: '/0' }, { pointer: '/2' }])
    expect(await problems(`[${'1e400,'.repeat(1_000)}0]`)).toHaveLength(50)
  })

  test('the largest and the smallest pass', async () => {
    expect(await parseJson(bytes('[1.7976931348623157e308,5e-324,1e-400]'))).toEqual([
      Number.MAX_VALUE,
      Number.MIN_VALUE,
      0,
    ])
  })
})

describe('too much', () => {
  const MIB = 1024 * 1024

  test.each([
    ['values', `[${'0,'.repeat(60_000)}0]`, 'validation_error'],
    ['texts', `[${'"a",'.repeat(30_000)}0]`, 'validation_error'],
    ['backslashes', `"${'\\n'.repeat(600_000)}"`, 'validation_error'],
    ['white space', ' '.repeat(MIB + 1), 'payload_too_large'],
  ])('%s: %s', async (_, text, code) => {
    expect((await refusal(text)).code).toBe(code as 'validation_error')
  })

  test('a picture of 10 MiB as PHP writes it passes: each slash escaped', async () => {
    const text = JSON.stringify({ image: 'abc/'.repeat(245_000) }).replaceAll('/', '\\/')
    expect(await parseJson(bytes(text))).toEqual({ image: 'abc/'.repeat(245_000) })
  })

  test('a vector of 4096 numbers as long as numbers get passes', async () => {
    const vector = Array.from({ length: 4096 }, (_, n) => -Math.sqrt(n + 2) * 1e-200)
    expect(await parseJson(bytes(JSON.stringify({ vector })))).toEqual({ vector })
  })

  test('a fault behind megabytes of text is found, with its line and column', async () => {
    const text = `{"image":"${'a'.repeat(3 * MIB)}",\n"limit":,}`
    expect((await refusal(text)).details).toEqual({ line: 2, column: 9 })
  })
})

describe('JSON in a field of a form', () => {
  test.each([
    ['{"a":1}', { a: 1 }],
    ['[1]', [1]],
    ['{bad', undefined],
    ['', undefined],
    [`${'['.repeat(70)}${']'.repeat(70)}`, undefined],
    ['{"__proto__":{"x":1},"a":1}', { a: 1 }],
  ])('%p is %p', async (text, value) => {
    expect(await parseJsonField(bytes(text), 'metadata')).toEqual(value)
  })

  test('a number out of range is named below the field, and too many values are refused', async () => {
    const codeOf = (text: string) => parseJsonField(bytes(text), 'metadata').catch((error: ApiError) => error)
    expect(await codeOf('{"a":[1e400]}')).toMatchObject({
      code: 'validation_error',
      extras: { details: { errors: [{ pointer: '/metadata/a/0' }] } },
    })
    expect(await codeOf(`[${'0,'.repeat(60_000)}0]`)).toMatchObject({ code: 'validation_error' })
  })
})

test('many numbers out of range below a long key: a few are told, and the answer stays small', async () => {
  const key = 'k'.repeat(200_000)
  const { code, details } = await parseJson(
    bytes(`{"${key}":[${Array(30_000).fill('1e400').join(',')}]}`),
  ).then(
    () => new ApiError('internal_error', 'It was not refused').extras as never,
    (error: ApiError) => ({ code: error.code, details: error.extras.details }),
  )
  const errors = details?.['errors'] as { pointer: string }[]
  expect([code, errors.length, errors[1]?.pointer]).toEqual(['validation_error', 50, `/${'k'.repeat(100)}/1`])
})
