import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { ApiError } from '../../../src/core/errors.ts'
import { type ListPart, readJsonList } from '../../../src/http/json/list.ts'
import { parseJson } from '../../../src/http/json/text.ts'

/** The text in pieces of these sizes, the last one again and again. */
const inPieces = (text: string | Uint8Array, sizes: readonly number[]) => {
  const bytes = typeof text === 'string' ? new TextEncoder().encode(text) : text
  return async function* () {
    for (let at = 0, n = 0; at < bytes.length; n++) {
      const size = sizes[Math.min(n, sizes.length - 1)] as number
      yield bytes.slice(at, at + size)
      at += size
    }
  }
}

async function read(text: string | Uint8Array, sizes: readonly number[] = [7], itemBytesMax = 1_000) {
  const parts: ListPart[] = []
  for await (const part of readJsonList(inPieces(text, sizes), { name: 'list', itemBytesMax }))
    parts.push(part)
  return parts
}

const itemsOf = (parts: ListPart[]) => parts.flatMap((part) => (part.kind === 'item' ? [part.value] : []))
const fieldsOf = (parts: ListPart[]) =>
  Object.fromEntries(parts.flatMap((part) => (part.kind === 'field' ? [[part.name, part.value]] : [])))

const refused = async (text: string | Uint8Array, sizes?: readonly number[]): Promise<ApiError> => {
  try {
    await read(text, sizes)
  } catch (error) {
    if (error instanceof ApiError) return error
    throw error
  }
  throw new Error(`taken: ${text}`)
}

const pieceSizes = fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1, maxLength: 5 })
/** Without `__proto__`, which is dropped from every body. */
const jsonValue = fc
  .jsonValue({ maxDepth: 3 })
  .filter((value) => !JSON.stringify(value).includes('__proto__'))

describe('readJsonList', () => {
  test('reads what JSON.parse reads, however the text is cut', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(jsonValue, { maxLength: 6 }),
        fc.dictionary(fc.string({ maxLength: 5 }), jsonValue, { maxKeys: 3 }),
        fc.constantFrom(undefined, 1, '\t'),
        pieceSizes,
        async (items, fields, indent, sizes) => {
          const { list: _, ['__proto__']: __, ...others } = fields
          const value = { ...others, list: items }
          const text = JSON.stringify(value, null, indent)
          const parts = await read(text, sizes, 100_000)
          const known = JSON.parse(text)
          expect(itemsOf(parts)).toEqual(known.list)
          expect({ ...fieldsOf(parts), list: known.list }).toEqual(known)
        },
      ),
    )
  })

  test('refuses what JSON.parse refuses, at the same place as other bodies', async () => {
    const valid = '{"a": "x\\u00e9", "list": [{"b": [1.5, null]}, "ü😀", -2e3, true],\n "c": {}}'
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 0, max: valid.length }),
        fc.integer({ min: 0, max: 3 }),
        fc.constantFrom('', ',', '"', '}', ']', '[', '{', ':', '\\', 'x', '\n', '0'),
        pieceSizes,
        async (at, cut, put, sizes) => {
          const text = valid.slice(0, at) + put + valid.slice(at + cut)
          if (text.isWellFormed()) await expectSame(text, sizes)
        },
      ),
      { numRuns: 1_000 },
    )
  })

  async function expectSame(text: string, sizes: readonly number[]): Promise<void> {
    const outcome = (work: Promise<unknown>) =>
      work.then(
        () => 'taken',
        (error: ApiError) => [error.code, error.message, error.extras.details],
      )
    const bytes = new TextEncoder().encode(text)
    const known = await outcome(parseJson(bytes))
    const own = await outcome(read(text, sizes))
    // Two lists, or a text that is no object, are refused by this reader alone.
    if (Array.isArray(own) && own[0] === 'validation_error') return
    expect([text, own]).toEqual([text, known])
  }

  test('an item that is too long, or holds too much, is refused alone', async () => {
    const long = JSON.stringify('x'.repeat(1_000))
    const parts = await read(`{"list": [1, ${long}, {"n": 1e999}, 2]}`)
    expect(parts.map(({ kind }) => kind)).toEqual(['list', 'item', 'refused', 'refused', 'item'])
    const codes = parts.flatMap((part) => (part.kind === 'refused' ? [part.error.code] : []))
    expect(codes).toEqual(['payload_too_large', 'validation_error'])
  })

  test('a list of another name is a field, and so is a value of that name that is no list', async () => {
    expect(await read('{"other": [1]}')).toEqual([{ kind: 'field', name: 'other', value: [1] }])
    expect(await read('{"list": 5}')).toEqual([{ kind: 'field', name: 'list', value: 5 }])
  })

  test('bytes that are no UTF-8 are refused', async () => {
    const bytes = new Uint8Array([...new TextEncoder().encode('{"list": ["'), 0xff, 0x22, 0x5d, 0x7d])
    expect((await refused(bytes)).code).toBe('invalid_json')
  })

  test('two lists are refused', async () => {
    expect((await refused('{"list": [], "list": []}')).code).toBe('validation_error')
  })
})
