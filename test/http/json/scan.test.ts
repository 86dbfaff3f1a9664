import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { LIMITS } from '../../../src/core/limits.ts'
import { findFault } from '../../../src/http/json/error.ts'
import { findExcess, JSON_DEPTH_MAX } from '../../../src/http/json/scan.ts'

const excess = (text: string) => findExcess(Buffer.from(text))

describe('what is too much to be parsed', () => {
  const list = (item: string, count: number) => `[${Array(count).fill(item).join(',')}]`

  test.each([
    ['levels', '['.repeat(JSON_DEPTH_MAX) + ']'.repeat(JSON_DEPTH_MAX), '[', 'depth'],
    // A bracket and the commas between the numbers.
    ['numbers', list('0', LIMITS.jsonPiecesMax), ',', 'pieces'],
    // Each text counts, and its comma.
    ['texts', list('"a"', LIMITS.jsonPiecesMax / 2), ',', 'pieces'],
    ['structure', ' '.repeat(LIMITS.jsonStructureBytesMax), ' ', 'structure'],
    ['escapes', `"${'\\n'.repeat(LIMITS.jsonEscapesMax)}"`, '"\\n"', 'escapes'],
  ])('%s, to the last one', (_, most, further, expected) => {
    expect(excess(most)).toBeUndefined()
    expect(excess(expected === 'depth' ? further + most : most + further)).toBe(expected as 'depth')
  })

  test('what stands inside strings does not count, whatever escapes stand there', () => {
    const inside = '[{,:]}'.repeat(20_000)
    for (const text of [
      `"${inside}"`,
      `"\\"${inside}"`,
      `"${inside}\\\\"`,
      `"${inside}\\"${inside}\\\\\\"${inside}"`,
    ]) {
      expect(excess(text)).toBeUndefined()
    }
    // The string ends before the brackets.
    expect(excess(`"\\\\"${'['.repeat(65)}`)).toBe('depth')
    expect(excess(`"\\\\\\"${'['.repeat(65)}"`)).toBeUndefined()
  })

  test('a text that never ends, and bytes that are no text, are passed over', () => {
    for (const text of ['"', '"\\', '"abc', '\\', '\\"', '"\\"']) expect(excess(text)).toBeUndefined()
    fc.assert(fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => void findExcess(bytes)))
  })

  test('no JSON of a few values is too much', () => {
    fc.assert(fc.property(fc.json({ maxDepth: 5 }), (text) => expect(excess(text)).toBeUndefined()))
  })
})

describe('where a text stops being JSON', () => {
  const isJson = (text: string): boolean => {
    try {
      JSON.parse(text)
      return true
    } catch {
      return false
    }
  }

  /** JSON with one sign changed, taken out or put in. */
  const nearlyJson = fc
    .tuple(
      fc.json({ maxDepth: 4 }),
      fc.nat(),
      fc.constantFrom(0, 1),
      fc.constantFrom(...'"\\{}[],:0.-+eEtfnu \n\t\u0001ü'.split(''), ''),
    )
    .map(([text, place, taken, put]) => {
      const at = place % (text.length + 1)
      return text.slice(0, at) + put + text.slice(at + taken)
    })

  test('a fault is found exactly where JSON.parse finds one', () => {
    fc.assert(
      fc.property(fc.oneof(nearlyJson, fc.json(), fc.string()), (text) => {
        expect([text, findFault(text) === undefined]).toEqual([text, isJson(text)])
      }),
      { numRuns: 5_000 },
    )
  })

  test('what stands before the fault can be the beginning of JSON', () => {
    fc.assert(
      fc.property(nearlyJson, (text) => {
        const fault = findFault(text)
        if (!fault) return
        expect(fault.offset).toBeLessThanOrEqual(text.length)
        // Cut off there, the text is faulty at its end at the earliest, or in the string that is not closed.
        const again = findFault(text.slice(0, fault.offset))
        expect([
          undefined,
          fault.offset,
          again?.reason === 'closing quote expected' ? again.offset : -1,
        ]).toContain(again?.offset)
      }),
      { numRuns: 2_000 },
    )
  })

  test.each([
    ['', 0, 'value expected'],
    ['{"a":1,}', 7, 'property name expected'],
    ['{"a" 1}', 5, 'colon expected'],
    ['{"a":1 "b"', 7, 'comma or closing brace expected'],
    ['[1 2]', 3, 'comma or closing bracket expected'],
    ['[1,]', 3, 'value expected'],
    ['"abc', 0, 'closing quote expected'],
    ['["a\nb"]', 3, 'control character in a string'],
    ['"a\\x"', 2, 'invalid escape in a string'],
    ['"\\u12g4"', 1, 'invalid escape in a string'],
    ['01', 1, 'end of text expected'],
    ['1.', 1, 'end of text expected'],
    ['-', 0, 'value expected'],
    ['truely', 4, 'end of text expected'],
    ['{} {}', 3, 'end of text expected'],
  ])('%j at %i: %s', (text, offset, reason) => {
    expect(findFault(text)).toEqual({ offset, reason })
  })
})
