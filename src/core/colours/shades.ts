import type { OkLch } from './lab.ts'

/** A range of hues in degrees; it may lead over 360. */
type Hues = readonly [from: number, to: number]

interface Base {
  /** The English word. */
  name: string
  /** A typical colour, as 24 bits of sRGB. */
  typical: number
  /** Wider words that a product of this colour answers to as well, such as white for cream. */
  within?: readonly BaseName[]
  /** Whether a colour in OKLCh is of this kind; absent for a word that no single colour shows. */
  has?: (colour: OkLch) => boolean
  /** Lightness up to which a colour is dark, and from which it is light. */
  tones?: readonly [dark: number, light: number]
}

const between = (value: number, [from, to]: Hues): boolean =>
  from <= to ? value >= from && value < to : value >= from || value < to

/** Below this chroma a colour is grey. Of bluish greys people speak up to a greater one. */
const greyChroma = ({ l, h }: OkLch): number => (l > 0.9 ? 0.022 : between(h, [200, 290]) ? 0.04 : 0.032)

const isBlack = ({ l, c }: OkLch): boolean => l < 0.34 && c < 0.042
/** Black without a trace of another colour; a black with one may be called navy or dark brown as well. */
const isPlainBlack = ({ l, c }: OkLch): boolean => l < 0.12 || (l < 0.34 && c < 0.026)
const isGrey = (colour: OkLch): boolean => colour.c < greyChroma(colour)

/** A hue that is strong enough to see, in a range of lightness in which it keeps its name. */
const coloured =
  (hues: Hues, { least = 0.045, most = 1, l: [from, to] = [0, 1] }: Strength = {}) =>
  (colour: OkLch): boolean =>
    between(colour.h, hues) &&
    colour.c >= least &&
    colour.c < most &&
    colour.l >= from &&
    colour.l <= to &&
    !(colour.c < 0.045 && isPlainBlack(colour))

interface Strength {
  /** Least and most chroma. */
  least?: number
  most?: number
  /** From and to this lightness. */
  l?: readonly [number, number]
}

type Kind = (colour: OkLch) => boolean
const either =
  (...kinds: readonly Kind[]): Kind =>
  (colour) =>
    kinds.some((has) => has(colour))

/** Orange that is dark or dull. */
const isBrown: Kind = (colour) => {
  const { l, c, h } = colour
  if (isPlainBlack(colour) || c < 0.026 || !between(h, [20, 92])) return false
  // Between red and brown the chroma decides, between orange and brown the lightness.
  return h < 40 ? l < 0.56 && c < Math.min(0.16, 0.1 + (h - 20) * 0.004) : l < 0.72 && c < 0.16
}

/**
 * The kinds of colour that words name. The ranges overlap: a tan shoe may be brown to one person and beige to another,
 * and a filter should lose neither. They were checked against the named colours of CSS and some of the xkcd colour survey.
 */
const TABLE = {
  black: { typical: 0x111111, has: isBlack },
  white: { typical: 0xffffff, has: ({ l, c }) => l > 0.93 && c < 0.026 },
  grey: {
    typical: 0x808080,
    has: (colour) => isGrey(colour) && colour.l >= 0.3 && colour.l <= 0.94,
    tones: [0.5, 0.75],
  },
  silver: {
    typical: 0xc0c0c0,
    within: ['grey'],
    has: (colour) => isGrey(colour) && between(colour.l, [0.65, 0.92]),
  },
  cream: {
    typical: 0xfff8e1,
    within: ['white'],
    has: coloured([60, 115], { least: 0.008, most: 0.075, l: [0.92, 1] }),
  },
  beige: {
    typical: 0xdcc9a3,
    has: coloured([45, 112], { least: 0.018, most: 0.095, l: [0.7, 0.97] }),
    tones: [0.78, 0.9],
  },
  tan: {
    typical: 0xc19a6b,
    within: ['brown', 'beige'],
    has: coloured([48, 96], { least: 0.05, most: 0.125, l: [0.58, 0.86] }),
    tones: [0.66, 0.78],
  },
  taupe: {
    typical: 0x8b7d6f,
    within: ['brown'],
    has: coloured([30, 100], { least: 0.01, most: 0.055, l: [0.42, 0.75] }),
  },
  brown: { typical: 0x7b4a2b, has: isBrown, tones: [0.4, 0.55] },
  red: {
    typical: 0xcc2222,
    has: either(
      coloured([2, 38], { least: 0.1, l: [0, 0.7] }),
      coloured([350, 30], { least: 0.07, l: [0, 0.46] }),
    ),
    tones: [0.47, 0.66],
  },
  coral: {
    typical: 0xff7f61,
    within: ['orange'],
    has: coloured([18, 66], { least: 0.075, l: [0.68, 0.92] }),
  },
  orange: { typical: 0xf58220, has: coloured([36, 76], { least: 0.11, l: [0.52, 0.9] }), tones: [0.66, 0.8] },
  yellow: {
    typical: 0xf7d917,
    has: either(
      coloured([74, 118], { least: 0.11, l: [0.68, 1] }),
      coloured([98, 118], { least: 0.035, l: [0.96, 1] }),
    ),
    tones: [0.82, 0.95],
  },
  gold: { typical: 0xc9a13b, has: coloured([68, 102], { least: 0.075, l: [0.55, 0.9] }) },
  copper: {
    typical: 0xb4693f,
    within: ['brown'],
    has: either(
      coloured([35, 70], { least: 0.06, most: 0.16, l: [0.45, 0.75] }),
      // Rose gold.
      coloured([5, 36], { least: 0.05, most: 0.12, l: [0.58, 0.85] }),
    ),
  },
  green: { typical: 0x2e8b3d, has: coloured([116, 176], { least: 0.026 }), tones: [0.5, 0.75] },
  olive: { typical: 0x6b6b2f, within: ['green'], has: coloured([96, 130], { least: 0.03, l: [0.3, 0.68] }) },
  turquoise: {
    typical: 0x2fb5b0,
    has: coloured([166, 215], { least: 0.03, l: [0.25, 1] }),
    tones: [0.58, 0.8],
  },
  blue: { typical: 0x2456b5, has: coloured([205, 287], { least: 0.028 }), tones: [0.42, 0.7] },
  purple: {
    typical: 0x7b3fa0,
    has: either(
      coloured([284, 342], { least: 0.04, l: [0, 0.95] }),
      coloured([284, 342], { least: 0.02, l: [0.85, 0.96] }),
    ),
    tones: [0.42, 0.68],
  },
  pink: {
    typical: 0xf48fb1,
    has: either(
      coloured([326, 12], { least: 0.1, l: [0.5, 1] }),
      coloured([335, 32], { least: 0.03, l: [0.72, 1] }),
      coloured([335, 20], { least: 0.045, l: [0.6, 0.72] }),
    ),
    tones: [0.66, 0.82],
  },
  multicolour: { typical: 0x808080 },
  transparent: { typical: 0xffffff },
} as const satisfies Record<string, Omit<Base, 'name' | 'within'> & { within?: readonly string[] }>

export type BaseName = keyof typeof TABLE

const BASES: readonly Base[] = Object.entries(TABLE).map(([name, base]) => ({ name, ...base }) as Base)
const NUMBERS = new Map(BASES.map(({ name }, number) => [name, number]))
const bitOf = (name: string): number => 1 << (NUMBERS.get(name) as number)

/** The tones follow the bits of the bases. */
const DARK = 1 << BASES.length
const LIGHT = 1 << (BASES.length + 1)

export type Tone = 'dark' | 'light'

/** The shades that one colour word names, such as "navy": blue, dark. */
export interface Shade {
  base: BaseName
  tone?: Tone | undefined
}

/**
 * The bits of a colour name: one for each base that it names, the wider ones included, and one for each tone. A name
 * answers to a shade when it has all bits of it.
 */
export const bitsOf = ({ base, tone }: Shade): number => bitOf(base) | toneBit(tone)

/** The bits of a colour name with the bases that lie around its own. */
export const wideBitsOf = (shade: Shade): number =>
  (TABLE[shade.base] as Pick<Base, 'within'>).within?.reduce(
    (bits, name) => bits | bitOf(name),
    bitsOf(shade),
  ) ?? bitsOf(shade)

const toneBit = (tone: Tone | undefined): number => (tone === undefined ? 0 : tone === 'dark' ? DARK : LIGHT)

/** The limits of tone for a base without its own. */
const TONES = [0.45, 0.75] as const

/** Whether a colour can be called by a shade; false for a shade that no single colour shows. */
export function isOfShade(colour: OkLch, { base, tone }: Shade): boolean {
  const { has, tones = TONES } = TABLE[base] as Omit<Base, 'name'>
  if (!has?.(colour)) return false
  return tone === undefined || (tone === 'dark' ? colour.l <= tones[0] : colour.l >= tones[1])
}

/** All bits that a colour answers to. */
export function bitsOfColour(colour: OkLch): number {
  let bits = 0
  for (const name of NUMBERS.keys()) {
    const base = name as BaseName
    if (!isOfShade(colour, { base })) continue
    bits |= bitOf(base)
    if (isOfShade(colour, { base, tone: 'dark' })) bits |= DARK
    if (isOfShade(colour, { base, tone: 'light' })) bits |= LIGHT
  }
  return bits
}

/** A colour that a shade typically has, as 24 bits of sRGB. */
export function typicalOf({ base, tone }: Shade): number {
  const { typical } = TABLE[base]
  if (tone === undefined) return typical
  // Halfway to black or to white.
  const mixed = [16, 8, 0].map((shift) => {
    const value = (typical >> shift) & 255
    return Math.round(tone === 'dark' ? value * 0.5 : value * 0.5 + 127.5)
  }) as [number, number, number]
  return (mixed[0] << 16) | (mixed[1] << 8) | mixed[2]
}

/** Every shade that tells colours apart. Silver is a grey that shines, which no single colour shows. */
export const listShades = (): readonly Shade[] => SHADES

const SHADES: readonly Shade[] = BASES.flatMap(({ name, has, tones }): Shade[] => {
  const base = name as BaseName
  if (!has || base === 'silver') return []
  return tones ? [{ base }, { base, tone: 'dark' }, { base, tone: 'light' }] : [{ base }]
})

/** The English name of a shade. */
export const nameOf = ({ base, tone }: Shade): string => (tone ? `${tone} ${base}` : base)

/** The kinds of colour of which several make a product multicoloured. */
export const HUES: readonly BaseName[] = [
  'red',
  'orange',
  'yellow',
  'green',
  'turquoise',
  'blue',
  'purple',
  'pink',
]
