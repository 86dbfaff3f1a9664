import type { Shade } from './shades.ts'
import { foldColour, SHADE_WORDS, TONE_WORDS, TONES_BEHIND } from './words.ts'

/*
 * Colours among the words of a query. A filter by colour is asked for colours alone, so it understands every word of
 * `words.ts`. A query may mean a wine glass, a coffee table or a brand by the same words. So only words count here that
 * nearly always mean a colour, and those that the store itself has as a colour.
 */

/** A colour that a query names. */
export interface SpokenColour {
  /** Its word in the query, folded. */
  word: string
  /** The word of tone beside it, such as "light"; undefined without one. */
  toneWord: string | undefined
  shade: Shade
}

/** Words that nearly always mean a colour. */
const PLAIN: ReadonlySet<string> = new Set([
  ...[
    'black',
    'white',
    'grey',
    'gray',
    'red',
    'orange',
    'yellow',
    'green',
    'blue',
    'purple',
    'pink',
    'brown',
  ],
  ...['beige', 'navy', 'turquoise'],
])

/** Words that take back the colour behind them. */
const NEGATIONS: ReadonlySet<string> = new Set(
  'no non not without ohne sans sin senza zonder bez sem kein keine geen'.split(' '),
)

/** Names of things and days, of which a colour's word is a part: a bottle of white wine is green. */
const NAMES: ReadonlySet<string> = new Set([
  ...['black friday', 'white noise', 'red wine', 'white wine', 'black tea', 'green tea', 'white tea'],
  ...['white chocolate', 'brown sugar', 'brown rice'],
  ...['schwarzer tee', 'gruner tee', 'rode wijn', 'witte wijn', 'groene thee', 'zwarte thee'],
])

/** The same where the colour stands behind the thing. */
const NAMES_BEHIND: ReadonlySet<string> = new Set(
  ['vin rouge', 'vin blanc', 'the vert', 'the noir', 'vino rosso', 'vino bianco', 'vino blanco'].concat([
    ...['te verde', 'te negro', 'the verde', 'te nero', 'vinho branco', 'cha verde', 'cha preto'],
    ...['wino czerwone', 'wino biale', 'herbata zielona', 'herbata czarna'],
  ]),
)

const NONE: ReadonlyMap<string, Shade> = new Map()

/** Whether a single colour of a picture can show a shade. */
const isSingle = ({ base }: Shade): boolean => base !== 'multicolour' && base !== 'transparent'

const WORDS_MAX = 32
const COLOURS_MAX = 5

/**
 * Finds the colours that a query names, in its order, each word once.
 *
 * @param isStoreColour whether a product of the store has a folded word as its colour.
 * @param foreign words that mean a colour in the language of the query.
 */
export function findSpokenColours(
  text: string,
  isStoreColour: (word: string) => boolean,
  foreign: ReadonlyMap<string, Shade> = NONE,
): SpokenColour[] {
  const tokens = (foldColour(text).match(/[\p{L}\p{N}]+/gu) ?? []).slice(0, WORDS_MAX)
  const found = new Map<string, SpokenColour>()
  for (const [at, word] of tokens.entries()) {
    const [before = '', after = ''] = [tokens[at - 1], tokens[at + 1]]
    if (
      found.size === COLOURS_MAX ||
      NEGATIONS.has(before) ||
      NAMES.has(`${word} ${after}`) ||
      NAMES_BEHIND.has(`${before} ${word}`)
    )
      continue
    const meant = foreign.get(word)
    const named = meant && isSingle(meant) ? meant : readWord(word, isStoreColour)
    if (!named) continue
    const toneWord = [before, after].find((one, n) => (n === 0 ? TONE_WORDS : TONES_BEHIND).has(one))
    const tone = named.tone ?? (toneWord === undefined ? undefined : TONE_WORDS.get(toneWord))
    found.set(word, { word, toneWord, shade: { base: named.base, tone } })
  }
  return [...found.values()]
}

/** The shade of a word that means a colour here, and that a single colour of a picture can show. */
function readWord(word: string, isStoreColour: (word: string) => boolean): Shade | undefined {
  const forms = listForms(word)
  if (!PLAIN.has(word) && !forms.some(isStoreColour)) return undefined
  for (const form of forms) {
    const shade = SHADE_WORDS.get(form)
    if (shade) return isSingle(shade) ? shade : undefined
  }
  return undefined
}

/** A word with and without the endings of adjectives: "gelbe" also as "gelb", "rouges" as "rouge". */
const listForms = (word: string): string[] => [
  word,
  ...(word.length > ENDED_MIN ? [word.replace(/s$/, ''), word.replace(/e[mnrs]?$/, '')] : []),
]

/** Shorter words are read as they are. */
const ENDED_MIN = 3
