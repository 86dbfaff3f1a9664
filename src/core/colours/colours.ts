import { deltaE2000, type Lab, parseHex, toLab, toOkLch } from './lab.ts'
import {
  bitsOf,
  bitsOfColour,
  isOfShade,
  listShades,
  nameOf,
  type Shade,
  typicalOf,
  wideBitsOf,
} from './shades.ts'
import { ENDINGS, FILLER_WORDS, foldColour, SHADE_WORDS, TONE_WORDS, TONES_BEHIND } from './words.ts'

/** A colour that somebody asks for. */
export type ColourQuery = HexQuery | NameQuery

export interface HexQuery {
  kind: 'hex'
  /** 24 bits of sRGB, red highest. */
  rgb: number
  lab: Lab
}

export interface NameQuery {
  kind: 'name'
  /** The colours that the words name; a product must have all of them. */
  shades: readonly Shade[]
  /** A colour that the first shade typically has. */
  lab: Lab
}

/** The meaning of a product's colour name. */
export interface NamedColours {
  /** For each colour in the name, its bits; see `bitsOf`. */
  bits: readonly number[]
  /** The colour, for a name that is a hex. */
  lab: Lab | undefined
}

/** Longer texts are read up to here. */
const CHARS_MAX = 200
const PHRASE_WORDS_MAX = 3

/**
 * Reads the colour that a client asks for: `#rrggbb`, `rrggbb`, `#rgb`, or words such as "navy", "dunkelrot" and "bleu
 * clair" in any of twelve languages; see `words.ts`.
 *
 * @returns undefined for a text with an unknown word; it may still be how a store calls a colour.
 */
export function parseColour(text: string): ColourQuery | undefined {
  const { shades, isWhole } = readShades(text)
  const [first] = shades
  if (first && isWhole) return { kind: 'name', shades, lab: toLab(typicalOf(first)) }
  const rgb = parseHex(text)
  return rgb === undefined ? undefined : { kind: 'hex', rgb, lab: toLab(rgb) }
}

/** Whether a text means to be a hex and is none: the mistake of a client. */
export const isBrokenHex = (text: string): boolean =>
  text.trim().startsWith('#') && parseHex(text) === undefined

/** The colours that a text names, in its order; other words are passed over. */
export const findShades = (text: string): Shade[] => readShades(text).shades

/** Reads a product's colour name, such as "Navy/White" or "#c00000". */
export function readColourName(name: string): NamedColours {
  const { shades } = readShades(name)
  const rgb = shades.length === 0 ? parseHex(name) : undefined
  if (rgb !== undefined) return { bits: [bitsOfColour(toOkLch(rgb))], lab: toLab(rgb) }
  const bits = shades.map(wideBitsOf)
  if (new Set(shades.map(({ base }) => base)).size >= SEVERAL) bits.push(bitsOf({ base: 'multicolour' }))
  return { bits, lab: undefined }
}

/** With as many kinds of colour a thing is multicoloured. */
export const SEVERAL = 3

/** Whether a product's colour name is what somebody asks for. */
export function isNamed({ bits }: NamedColours, { shades }: NameQuery): boolean {
  return shades.map(bitsOf).every((wanted) => bits.some((has) => (has & wanted) === wanted))
}

/** The English name of a colour, such as "dark blue". @param rgb 24 bits of sRGB. */
export function describeColour(rgb: number): string {
  const [lab, colour] = [toLab(rgb), toOkLch(rgb)]
  let [nearest, least] = ['', Number.POSITIVE_INFINITY]
  for (const shade of listShades()) {
    const distance = deltaE2000(lab, toLab(typicalOf(shade))) + (isOfShade(colour, shade) ? 0 : OUTSIDE)
    if (distance < least) [nearest, least] = [nameOf(shade), distance]
  }
  return nearest
}

/** More than any two colours differ, so that a shade which has the colour always comes first. */
const OUTSIDE = 200

/** Reads words from left to right. */
function readShades(text: string): { shades: Shade[]; isWhole: boolean } {
  const tokens = foldColour(text.slice(0, CHARS_MAX)).match(/[\p{L}\p{N}]+/gu) ?? []
  const shades: Shade[] = []
  let isWhole = tokens.length > 0
  /** A tone that waits for its colour, and whether the last token was a colour. */
  let tone: Shade['tone']
  let isBehindColour = false
  const toneLast = (): void => {
    const last = shades.at(-1)
    if (tone && last) shades[shades.length - 1] = { base: last.base, tone: last.tone ?? tone }
    tone = undefined
  }
  for (let at = 0; at < tokens.length; ) {
    const { found, size } = readPhrase(tokens, at)
    const word = tokens[at] as string
    at += size
    if (found) {
      for (const { base, tone: own } of found) shades.push({ base, tone: own ?? tone })
      tone = undefined
      isBehindColour = true
      continue
    }
    const named = TONE_WORDS.get(word)
    if (named) {
      if (tone) toneLast()
      tone = named
      if (isBehindColour && TONES_BEHIND.has(word)) toneLast()
    } else if (!FILLER_WORDS.has(word)) {
      isWhole = false
      toneLast()
    }
    isBehindColour = false
  }
  toneLast()
  return { shades, isWhole }
}

/** The longest phrase from a place on; one word that may be no colour otherwise. */
function readPhrase(
  tokens: readonly string[],
  at: number,
): { found: readonly Shade[] | undefined; size: number } {
  for (let size = Math.min(PHRASE_WORDS_MAX, tokens.length - at); size > 1; size--) {
    const shade = SHADE_WORDS.get(tokens.slice(at, at + size).join(' '))
    if (shade) return { found: [shade], size }
  }
  return { found: readWord(tokens[at] as string), size: 1 }
}

function readWord(word: string): readonly Shade[] | undefined {
  const known = SHADE_WORDS.get(word)
  if (known) return [known]
  if (TONE_WORDS.has(word) || FILLER_WORDS.has(word)) return undefined
  return readCompound(word) ?? readCompound(word.replace(/(?:e[rsnm]?|a|t)$/, ''))
}

const PREFIX_CHARS_MIN = 3

/** Reads "dunkelblau", "mørkeblå", "schwarzweiss" and "himbeerrot". */
function readCompound(word: string): readonly Shade[] | undefined {
  for (const [before, tone] of TONE_WORDS) {
    const shade = word.startsWith(before) ? SHADE_WORDS.get(word.slice(before.length)) : undefined
    if (shade) return [{ base: shade.base, tone: shade.tone ?? tone }]
  }
  const ending = ENDINGS.find((end) => word.endsWith(end) && word.length >= end.length + PREFIX_CHARS_MIN)
  const shade = ending && SHADE_WORDS.get(ending)
  if (!shade) return undefined
  const before = word.slice(0, -ending.length)
  const other = ENDINGS.includes(before) ? SHADE_WORDS.get(before) : undefined
  return other && other.base !== shade.base ? [other, shade] : [shade]
}
