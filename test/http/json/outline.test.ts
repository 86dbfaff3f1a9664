import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { findFault } from '../../../src/http/json/error.ts'
import { createOutline } from '../../../src/http/json/outline.ts'
import { createScan, findCut, findExcess, LONG_STRING_BYTES } from '../../../src/http/json/scan.ts'
import { parseJson } from '../../../src/http/json/text.ts'

const scanned = (bytes: Uint8Array, stepBytes?: number) => {
  const scan = createScan(bytes, stepBytes)
  while (!scan.step());
  return scan
}

/** Cuts and reads a text in many small steps, as one of many megabytes is. */
const outlineOf = (text: string, stepBytes: number) => {
  const bytes = Buffer.from(text)
  return createOutline(bytes, scanned(bytes, stepBytes).longStrings, stepBytes)
}

/** What the parser did before: the text as a whole, with the place of its fault. */
function readWhole(text: string): unknown {
  const plain = text.replace(/^\ufeff/, '')
  try {
    return { value: JSON.parse(plain) }
  } catch {
    const { offset, reason } = findFault(plain) ?? { offset: -1, reason: '' }
    const before = plain.slice(0, offset).split('\n')
    return { fault: { reason, line: before.length, column: (before.at(-1) ?? '').length + 1 } }
  }
}

async function readOutlined(text: string, stepBytes: number): Promise<unknown> {
  const outline = outlineOf(text, stepBytes)
  try {
    return { value: await outline.parse() }
  } catch {
    return { fault: await outline.findFault() }
  }
}

/** The inside of a string, longer than what is cut out, with whatever is hard to cut. */
const longInside = fc
  .tuple(
    fc.array(
      fc.oneof(
        fc.constantFrom(
          '\\"',
          '\\\\',
          '\\/',
          '\\n',
          '\\u0041',
          '\\ud83d\\ude00',
          '\\ud800',
          'ü',
          '漢',
          '😀',
          '\ufeff',
        ),
        fc.constantFrom('abc', '[', '{', ',', ':', '/', 'AAAA'),
      ),
      { minLength: 1, maxLength: 30 },
    ),
    fc.nat(40),
  )
  .map(([parts, more]) => {
    const unit = parts.join('')
    return unit.repeat(Math.ceil(LONG_STRING_BYTES / Buffer.byteLength(unit)) + 1) + 'x'.repeat(more)
  })

const longString = longInside.map((inside) => `"${inside}"`)
const shortValue = fc.constantFrom('1', 'null', '"a"', '[]', '{}', '"\\u0041"', '[1,{"a":"b"}]')

/** Documents with several long strings, nested, on several lines, as values and as keys. */
const document = fc
  .array(
    fc.tuple(
      fc.oneof(fc.constantFrom('"a"', '"b"', '"__proto__"', '"7"'), { weight: 1, arbitrary: longString }),
      fc.oneof({ weight: 2, arbitrary: longString }, shortValue),
      fc.constantFrom('', ' ', '\n', '\r\n  '),
    ),
    { minLength: 1, maxLength: 4 },
  )
  .chain((fields) =>
    fc.constantFrom('object', 'list', 'nested').map((kind) => {
      const space = fields.map(([, , blank]) => blank).join('')
      if (kind === 'list')
        return `${space}[${fields.map(([, value, blank]) => blank + value).join(`${space},`)}]`
      const members = fields.map(([key, value, blank]) => `${blank}${key}${blank}:${space}${value}`).join(',')
      return kind === 'object' ? `{${members}}${space}` : `{"x":[{${members}},{${members}}]}`
    }),
  )

/** A document with something changed, taken out or put in, or cut off. */
const damaged = fc
  .tuple(
    document,
    fc.double({ min: 0, max: 1, noNaN: true }),
    fc.constantFrom(0, 1, 1_000_000),
    fc.constantFrom('', '"', '\\', '\\x', '\n', '\u0001', ',', '}', '\\u12'),
  )
  .map(([text, share, taken, put]) => {
    let at = Math.floor(share * text.length)
    // Half a surrogate pair is no text that bytes could hold.
    while (/[\udc00-\udfff]/.test(text[at] ?? '') || /[\udc00-\udfff]/.test(text[at + taken] ?? '')) at++
    return text.slice(0, at) + put + text.slice(at + taken)
  })

const steps = fc.constantFrom(64, 1_000, 4_096, 100_000)

describe('JSON whose long strings are read on their own', () => {
  test('gives the value that JSON.parse gives', async () => {
    await fc.assert(
      fc.asyncProperty(document, steps, async (text, stepBytes) => {
        const read = await readOutlined(text, stepBytes)
        expect(Bun.hash(JSON.stringify(read))).toBe(Bun.hash(JSON.stringify(readWhole(text))))
        expect(Bun.deepEquals(read, readWhole(text), true)).toBe(true)
      }),
      { numRuns: 150 },
    )
  })

  test('is refused at the same place for the same reason', async () => {
    let faults = 0
    await fc.assert(
      fc.asyncProperty(damaged, steps, async (text, stepBytes) => {
        const whole = readWhole(text)
        const read = await readOutlined(text, stepBytes)
        if (Bun.deepEquals(read, whole, true)) {
          if ('fault' in (whole as object)) faults++
          return
        }
        // Only the places, because a document is long.
        expect((read as { fault?: unknown }).fault).toEqual((whole as { fault?: unknown }).fault)
        throw new Error('Another value was read')
      }),
      { numRuns: 400 },
    )
    expect(faults).toBeGreaterThan(50)
  })

  test('the outline is short, and strings of the client that look like names stay', async () => {
    const long = 'A'.repeat(1_000_000)
    const text = JSON.stringify({ a: long, b: [long, { c: long }], d: 'short' })
    const outline = outlineOf(text, 100_000)
    expect(outline.text.length).toBeLessThan(300)
    expect(await outline.parse()).toEqual(JSON.parse(text))
    const name = JSON.parse(outline.text).a
    const other = JSON.stringify({ a: long, b: name })
    expect(await parseJson(Buffer.from(other))).toEqual(JSON.parse(other))
  })

  test('a long key stays in the outline, and a replaced field must be sound all the same', async () => {
    const long = 'k'.repeat(LONG_STRING_BYTES)
    expect(scanned(Buffer.from(`{"${long}" \n :1}`)).longStrings).toEqual([])
    expect(scanned(Buffer.from(`["${long}" \n ]`)).longStrings).toHaveLength(1)
    const text = `{"a":"${long}\\x","a":1}`
    expect(await readOutlined(text, 1_000)).toEqual(readWhole(text) as object)
  })

  test('the outline without long strings is the text, without a byte order mark', () => {
    for (const text of ['', '{}', '\ufeff{"a":"ü"}', ' [1] ']) {
      expect(outlineOf(text, 64).text).toBe(text.replace('\ufeff', ''))
    }
  })
})

describe('a scan in steps', () => {
  const texts = fc.oneof(document, damaged, fc.string(), fc.json())

  test('finds what a scan in one go finds', () => {
    fc.assert(
      fc.property(texts, fc.integer({ min: 1, max: 5_000 }), (text, stepBytes) => {
        const bytes = Buffer.from(text)
        const stepped = scanned(bytes, stepBytes)
        expect(stepped.excess).toBe(findExcess(bytes) as typeof stepped.excess)
        expect(stepped.longStrings).toEqual(scanned(bytes).longStrings)
      }),
      { numRuns: 150 },
    )
  })

  test('reads no more than its step one by one, whatever it skips', () => {
    const count = (text: string, stepBytes: number) => {
      const scan = createScan(Buffer.from(text), stepBytes)
      let steps = 1
      while (!scan.step()) steps++
      return steps
    }
    expect(count(JSON.stringify({ image: 'A'.repeat(1_000_000) }), 1_000)).toBe(1)
    expect(count(JSON.stringify({ image: '\\/AAAAAA'.repeat(10_000) }), 1_000)).toBeGreaterThan(80)
    expect(count(`[${' '.repeat(100_000)}]`, 1_000)).toBeGreaterThan(90)
  })

  test('cuts fall between characters and escapes', () => {
    fc.assert(
      fc.property(longInside, fc.nat(LONG_STRING_BYTES - 200), (inside, offset) => {
        const bytes = Buffer.from(inside)
        const cut = findCut(bytes, 0, offset + 100)
        expect(cut).toBeGreaterThan(offset + 80)
        const parts = [bytes.toString('utf8', 0, cut), bytes.toString('utf8', cut)]
        expect(parts.join('')).toBe(inside)
        expect(parts.map((part) => JSON.parse(`"${part}"`)).join('')).toBe(JSON.parse(`"${inside}"`))
      }),
    )
  })
})
