import { describe, expect, test } from 'bun:test'
import { converter, differenceCiede2000 } from 'culori'
import fc from 'fast-check'
import { deltaE2000, lightnessReach, parseHex, toLab, toOkLch } from '../../../src/core/colours/lab.ts'

const rgb = fc.oneof(
  fc.integer({ min: 0, max: 0xffffff }),
  // Greys, whose hue is undefined.
  fc.nat(255).map((n) => n * 0x10101),
  fc.constantFrom(0x000000, 0xffffff, 0xff0000, 0x00ff00, 0x0000ff),
)
const toHex = (value: number): string => `#${value.toString(16).padStart(6, '0')}`
const lab65 = converter('lab65')
const oklch = converter('oklch')
const difference = differenceCiede2000()

describe('conversions', () => {
  test('to CIELAB are those of culori', () => {
    fc.assert(
      fc.property(rgb, (value) => {
        const [own, known] = [toLab(value), lab65(toHex(value))]
        expect(Math.abs(own.l - (known?.l ?? 0))).toBeLessThan(1e-9)
        expect(Math.abs(own.a - (known?.a ?? 0))).toBeLessThan(1e-9)
        expect(Math.abs(own.b - (known?.b ?? 0))).toBeLessThan(1e-9)
      }),
      { numRuns: 2_000 },
    )
  })

  test('to OKLCh are those of culori', () => {
    fc.assert(
      fc.property(rgb, (value) => {
        const [own, known] = [toOkLch(value), oklch(toHex(value))]
        expect(Math.abs(own.l - (known?.l ?? 0))).toBeLessThan(1e-6)
        expect(Math.abs(own.c - (known?.c ?? 0))).toBeLessThan(1e-6)
        if (own.c > 1e-3) expect(Math.abs(own.h - (known?.h ?? 0))).toBeLessThan(1e-3)
      }),
      { numRuns: 2_000 },
    )
  })
})

describe('CIEDE2000', () => {
  test('is that of culori', () => {
    fc.assert(
      fc.property(rgb, rgb, (one, other) => {
        const own = deltaE2000(toLab(one), toLab(other))
        expect(Math.abs(own - difference(toHex(one), toHex(other)))).toBeLessThan(1e-6)
      }),
      { numRuns: 5_000 },
    )
  })

  test('agrees with the published pairs of Sharma, Wu and Dalal', () => {
    const pairs = [
      [50, 2.6772, -79.7751, 50, 0, -82.7485, 2.0425],
      [50, 0, 0, 50, -1, 2, 2.3669],
      [50, 2.49, -0.001, 50, -2.49, 0.0009, 7.1792],
      [50, 2.5, 0, 73, 25, -18, 27.1492],
      [50, 2.5, 0, 58, 24, 15, 19.4535],
      [22.7233, 20.0904, -46.694, 23.0331, 14.973, -42.5619, 2.0373],
      [2.0776, 0.0795, -1.135, 0.9033, -0.0636, -0.5514, 0.9082],
    ] as const
    for (const [l1, a1, b1, l2, a2, b2, expected] of pairs) {
      const found = deltaE2000({ l: l1, a: a1, b: b1 }, { l: l2, a: a2, b: b2 })
      expect(Math.round(found * 1e4) / 1e4).toBe(expected)
    }
  })

  test('of near colours leaves no greater difference of lightness than the bound says', () => {
    fc.assert(
      fc.property(rgb, rgb, fc.double({ min: 0.5, max: 60, noNaN: true }), (one, other, reach) => {
        const [a, b] = [toLab(one), toLab(other)]
        if (Math.abs(a.l - b.l) > lightnessReach(reach)) expect(deltaE2000(a, b)).toBeGreaterThan(reach)
      }),
      { numRuns: 5_000 },
    )
  })
})

test.each([
  ['#CC0000', 0xcc0000],
  ['cc0000', 0xcc0000],
  [' #0af ', 0x00aaff],
  ['#000', 0],
  ['0af', undefined],
  ['#12345', undefined],
  ['#1234567', undefined],
  ['#gggggg', undefined],
  ['', undefined],
])('%p as a hex is %p', (text, value) => {
  expect(parseHex(text)).toBe(value as number)
})
