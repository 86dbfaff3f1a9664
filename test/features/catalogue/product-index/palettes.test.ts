import { describe, expect, test } from 'bun:test'
import { differenceCiede2000, parseHex } from 'culori'
import fc from 'fast-check'
import { type ColourQuery, parseColour } from '../../../../src/core/colours/colours.ts'
import { toLab } from '../../../../src/core/colours/lab.ts'
import {
  createPalettes,
  type PaletteColour,
} from '../../../../src/features/catalogue/product-index/palettes.ts'

const hex = fc.integer({ min: 0, max: 0xffffff }).map((rgb) => `#${rgb.toString(16).padStart(6, '0')}`)
const colour = fc.record({ hex, share: fc.integer({ min: 0, max: 1000 }).map((n) => n / 1000) })
const palette = fc.array(colour, { maxLength: 5 })
const difference = differenceCiede2000()
const LIMITS = { share: 0.15, deltaE: 20 }

const ask = (text: string): ColourQuery => {
  const query = parseColour(text)
  if (!query) throw new Error(`${text} is no colour`)
  return query
}
const labOf = (text: string) => toLab(Number.parseInt(text.slice(1), 16))
const filled = (palettes: readonly (readonly PaletteColour[])[]) => {
  const column = createPalettes()
  for (const [slot, colours] of palettes.entries()) column.set(slot, colours)
  return column
}

describe('a palette that is loaded', () => {
  test('equals the one that was put, however its JSON is written', () => {
    fc.assert(
      fc.property(
        fc.array(palette, { minLength: 1, maxLength: 80 }),
        hex,
        fc.boolean(),
        (palettes, wanted, isSpaced) => {
          const loaded = createPalettes()
          for (const [slot, colours] of palettes.entries()) {
            // A slot may have been used before.
            loaded.set(slot, [{ hex: '#123456', share: 1 }])
            loaded.load(slot, JSON.stringify(colours, null, isSpaced ? 1 : 0))
          }
          const put = filled(palettes)
          expect(loaded.score([labOf(wanted)], 90)).toEqual(put.score([labOf(wanted)], 90))
          const [one, other] = [put, loaded].map((column) => column.matcher(ask(wanted), LIMITS))
          for (const slot of palettes.keys()) expect(other?.(slot)).toBe(one?.(slot) as boolean)
        },
      ),
    )
  })
})

describe('a picture matches', () => {
  test('a hex where so much of it is near, as culori measures it', () => {
    fc.assert(
      fc.property(fc.array(palette, { minLength: 1, maxLength: 20 }), hex, (palettes, wanted) => {
        const test = filled(palettes).matcher(ask(wanted), LIMITS)
        for (const [slot, colours] of palettes.entries()) {
          const near = colours.filter((found) => {
            expect(parseHex(found.hex)).toBeDefined()
            return difference(wanted, found.hex) <= LIMITS.deltaE
          })
          // Shares count in whole steps of half a percent, and one at the least.
          const share =
            near.reduce((sum, found) => sum + Math.max(1, Math.floor(found.share * 200 + 1e-9)), 0) / 200
          // A vivid colour against a nearly grey one, where the formula jumps, may go either way.
          const isClear = colours.every((found) => isOrdinary(found.hex)) && isOrdinary(wanted)
          if (isClear) expect([slot, test(slot)]).toEqual([slot, share >= 0.15 - 1e-9])
        }
      }),
      { numRuns: 500 },
    )
  })

  /** Whether the hue of a colour is well defined. */
  const isOrdinary = (text: string): boolean => Math.hypot(labOf(text).a, labOf(text).b) > 14

  test('from 15 percent on, all nuances together', () => {
    const column = filled([
      [{ hex: '#cc0000', share: 0.15 }],
      [{ hex: '#cc0000', share: 0.149 }],
      [
        { hex: '#cc0000', share: 0.08 },
        { hex: '#d01010', share: 0.07 },
      ],
      [{ hex: '#0000cc', share: 0.9 }],
      [],
    ])
    for (const wanted of ['rot', '#cc0000']) {
      const test = column.matcher(ask(wanted), LIMITS)
      expect([0, 1, 2, 3, 4, 5, 1_000_000].map(test)).toEqual([true, false, true, false, false, false, false])
    }
  })

  test('several colours where each is there, and "multicolour" with three kinds', () => {
    const parts = (...colours: string[]) => colours.map((hex) => ({ hex, share: 0.3 }))
    const column = filled([
      parts('#cc0000', '#ffffff'),
      parts('#cc0000'),
      parts('#cc0000', '#00a000', '#2040d0'),
    ])
    expect([0, 1, 2].map(column.matcher(ask('red/white'), LIMITS))).toEqual([true, false, false])
    expect([0, 1, 2].map(column.matcher(ask('bunt'), LIMITS))).toEqual([false, false, true])
    expect([0, 1, 2].map(column.matcher(ask('transparent'), LIMITS))).toEqual([false, false, false])
  })

  test('no more in a slot that was cleared', () => {
    const column = filled([[{ hex: '#cc0000', share: 1 }]])
    column.clear(0)
    column.clear(1_000_000)
    expect(column.matcher(ask('red'), LIMITS)(0)).toBe(false)
    expect([...column.score([labOf('#cc0000')], 2)]).toEqual([0, 0])
  })
})

describe('the score', () => {
  test('is near the share weighed by the difference of culori', () => {
    fc.assert(
      fc.property(palette, fc.array(hex, { minLength: 1, maxLength: 3 }), (colours, wanted) => {
        if (
          ![...colours.map((found) => found.hex), ...wanted].every(
            (text) => Math.hypot(labOf(text).a, labOf(text).b) > 14,
          )
        )
          return
        const [score = 0] = filled([colours]).score(wanted.map(labOf), 1)
        const covered = wanted.map((text) => {
          const sum = colours.reduce((all, { hex: found, share }) => {
            const part = Math.min(1, difference(text, found) / 20)
            return all + share * (1 - part * part)
          }, 0)
          return Math.min(1, sum * wanted.length)
        })
        const expected = covered.reduce((sum, one) => sum + one, 0) / wanted.length
        // Cells are 8 levels wide, which moves a part by up to 0.25; a share counts once for each colour that is wanted.
        const weight = colours.reduce((all, { share }) => all + share, 0) * wanted.length
        expect(Math.abs(score - expected)).toBeLessThan(0.25 * Math.max(1, weight))
      }),
      { numRuns: 500 },
    )
  })

  test('of a shade is its share, and whole from a share that is enough', () => {
    const column = filled([
      [{ hex: '#cc0000', share: 0.9 }],
      [
        { hex: '#cc0000', share: 0.2 },
        { hex: '#a01020', share: 0.1 },
        { hex: '#2040d0', share: 0.7 },
      ],
      [{ hex: '#00a000', share: 1 }],
      [],
    ])
    const [full, half, none, empty, beyond] = [0, 1, 2, 3, 1_000].map(column.shadeMeter({ base: 'red' }, 0.6))
    expect([full, none, empty, beyond]).toEqual([1, 0, 0, 0])
    expect(half).toBeCloseTo(0.5, 2)
    expect(column.shadeMeter({ base: 'blue', tone: 'light' }, 0.6)(1)).toBe(0)
  })

  test('of a single slot is that of all', () => {
    fc.assert(
      fc.property(fc.array(palette), fc.array(hex, { minLength: 1, maxLength: 3 }), (palettes, wanted) => {
        const column = filled(palettes)
        const scores = [...column.score(wanted.map(labOf), palettes.length + 100, 0.6)]
        const meter = column.meter(wanted.map(labOf), 0.6)
        for (const [slot, score] of scores.entries()) expect(meter(slot)).toBeCloseTo(score, 5)
      }),
      { numRuns: 50 },
    )
  })

  test('needs no more than a share that is enough', () => {
    const column = filled([[{ hex: '#cc0000', share: 0.5 }]])
    const [whole = 0] = column.score([labOf('#cc0000')], 1)
    const [enough = 0] = column.score([labOf('#cc0000')], 1, 0.5)
    expect(whole).toBeLessThan(0.51)
    expect(enough).toBeGreaterThan(0.95)
  })

  test('ranks by share and by nearness, and wants all of several colours', () => {
    const column = filled([
      [{ hex: '#cc0000', share: 0.9 }],
      [{ hex: '#cc0000', share: 0.4 }],
      [{ hex: '#e04040', share: 0.9 }],
      [{ hex: '#00cc00', share: 1 }],
      [
        { hex: '#cc0000', share: 0.5 },
        { hex: '#0000cc', share: 0.5 },
      ],
    ])
    const [full = 0, less = 0, near = 0, other = 1] = column.score([labOf('#cc0000')], 5)
    expect(full).toBeGreaterThan(near)
    expect(near).toBeGreaterThan(other)
    expect(full).toBeGreaterThan(less)
    expect(other).toBe(0)
    const two = column.score([labOf('#cc0000'), labOf('#0000cc')], 5)
    expect(two[4]).toBeGreaterThan(0.95)
    expect(two[0]).toBeLessThanOrEqual(0.5)
  })
})
