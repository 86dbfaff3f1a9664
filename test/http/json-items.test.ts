import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { createItemReader, type ItemLimits } from '../../src/http/json-items.ts'

const WIDE: ItemLimits = { itemBytesMax: 1e9, restBytesMax: 1e9 }

/** Reads a text in chunks that end at any byte. */
function read(text: string, chunkBytes = 1e9, limits = WIDE) {
  const bytes = Buffer.from(text)
  const reader = createItemReader('products', limits)
  const items: string[] = []
  for (let at = 0; at < bytes.length; at += chunkBytes) {
    for (const item of reader.push(bytes.subarray(at, at + chunkBytes)))
      items.push(Buffer.from(item).toString())
  }
  const { bytes: rest, lists } = reader.end()
  return { items, rest: Buffer.from(rest).toString(), lists }
}

/** What JSON.parse makes of the parts; undefined if one is no JSON. */
function join({
  items,
  rest,
  lists,
}: ReturnType<typeof read>): { value: unknown; lists: number } | undefined {
  try {
    const value = JSON.parse(rest.replace(/^\ufeff/, ''))
    const parsed = items.map((item) => JSON.parse(item))
    if (lists === 1) value.products = parsed
    return { value, lists }
  } catch {
    return undefined
  }
}

const whole = (text: string): unknown => {
  try {
    return { value: JSON.parse(text.replace(/^\ufeff/, '')) }
  } catch {
    return undefined
  }
}

describe('the elements of a list', () => {
  test.each([
    ['{"products":[1,2]}', ['1', '2'], '{"products":[]}', 1],
    ['{"products":[]}', [], '{"products":[]}', 1],
    ['{ "products" : [ \n ] , "a":1}', [], '{ "products" : [] , "a":1}', 1],
    [
      '{"a":{"products":[1]},"products":[{"products":[2]}]}',
      ['{"products":[2]}'],
      '{"a":{"products":[1]},"products":[]}',
      1,
    ],
    ['{"pro\\u0064ucts":["]",",","\\"]"]}', ['"]"', '","', '"\\"]"'], '{"pro\\u0064ucts":[]}', 1],
    ['{"a":"products","b":[1]}', [], '{"a":"products","b":[1]}', 0],
    ['{"products":{"a":[1]}}', [], '{"products":{"a":[1]}}', 0],
    ['["products",[1]]', [], '["products",[1]]', 0],
    ['{"products":[1],"products":[2,3]}', ['1', '2', '3'], '{"products":[],"products":[]}', 2],
    ['{"products":[1,]}', ['1', ''], '{"products":[]}', 1],
    ['{"products":[,]}', ['', ''], '{"products":[]}', 1],
    ['{"products":[1 2]}', ['1 2'], '{"products":[]}', 1],
    ['{"products":[1}', ['1'], '{"products":[}', 1],
    ['{"products":[1,{"a":[', ['1'], '{"products":[{"a":[', 1],
    ['', [], '', 0],
  ])('%s', (text, items, rest, lists) => {
    for (const chunkBytes of [1, 2, 3, 7, 1_000])
      expect(read(text, chunkBytes)).toEqual({ items, rest, lists })
  })

  const value = fc.jsonValue({ maxDepth: 4 })
  const document = fc
    .tuple(
      fc.dictionary(fc.string(), value),
      fc.array(value, { maxLength: 8 }),
      fc.dictionary(fc.string(), value),
      fc.constantFrom(0, 1, '\t'),
      fc.constantFrom('', '\ufeff'),
    )
    .map(([before, products, after, space, mark]) => {
      const { products: _, ...others } = after
      return mark + JSON.stringify({ ...before, products, ...others }, null, space)
    })
  const damaged = fc
    .tuple(
      document,
      fc.nat(),
      fc.constantFrom(0, 1, 5),
      fc.constantFrom('', '"', '\\', ',', '[', ']', '{', '}', ':', '1', ' ', '"products":[1],'),
    )
    .map(([text, place, taken, put]) => {
      const at = place % (text.length + 1)
      return text.slice(0, at) + put + text.slice(at + taken)
    })
  const chunks = fc.constantFrom(1, 2, 3, 5, 16, 100, 100_000)

  test('with the rest they make the value that JSON.parse makes', () => {
    fc.assert(
      fc.property(document, chunks, (text, chunkBytes) => {
        const joined = join(read(text, chunkBytes))
        expect({ value: joined?.value }).toEqual(whole(text) as { value: unknown })
        expect(joined?.lists).toBe(1)
      }),
      { numRuns: 1_000 },
    )
  })

  test('a text is JSON exactly if they and the rest are', () => {
    let refused = 0
    fc.assert(
      fc.property(damaged, chunks, (text, chunkBytes) => {
        const joined = join(read(text, chunkBytes))
        const expected = whole(Buffer.from(text).toString())
        expect([text, joined !== undefined]).toEqual([text, expected !== undefined])
        if (!expected) refused++
        else if (joined && joined.lists < 2)
          expect({ value: joined.value }).toEqual(expected as { value: unknown })
      }),
      { numRuns: 5_000 },
    )
    expect(refused).toBeGreaterThan(500)
  })

  test('long strings with escapes at the ends of chunks', () => {
    const long = ['x'.repeat(1_000), '\\"'.repeat(100), '\\\\', 'ü漢😀', '"'].map((part) =>
      JSON.stringify(part.repeat(3)),
    )
    const text = `{"products":[${long.join(',')}]}`
    for (let chunkBytes = 1; chunkBytes < 300; chunkBytes++)
      expect(read(text, chunkBytes).items).toEqual(long)
  })

  test('an element and the rest have a limit while they arrive', () => {
    const limits = { itemBytesMax: 10, restBytesMax: 20 }
    expect(read('{"products":["12345678"]}', 3, limits).items).toEqual(['"12345678"'])
    const refusals = ['{"products":["123456789"]}', '{"products":["123456789', `{"${'k'.repeat(20)}`]
    for (const text of refusals) expect(() => read(text, 3, limits)).toThrow('is larger than')
  })

  test('what is read in one chunk is not copied', () => {
    const bytes = Buffer.from(`{"products":[{"a":1},2]}`)
    const [first] = createItemReader('products', WIDE).push(bytes)
    expect(first?.buffer).toBe(bytes.buffer)
  })
})
