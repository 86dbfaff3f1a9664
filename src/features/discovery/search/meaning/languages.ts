/** The languages that are translated to English, in the order of the columns of a dictionary behind the English one. */
export const LANGUAGES = ['de', 'fr', 'es', 'it', 'nl', 'pl', 'pt'] as const
export type Language = (typeof LANGUAGES)[number]

/** Languages that put what describes a thing behind it: "robe rouge". */
export const DESCRIBES_BEHIND: ReadonlySet<Language> = new Set(['fr', 'es', 'it', 'pt'])

/** Languages that write several nouns as one word: "Lederhandtasche". */
export const COMPOUNDS: ReadonlySet<Language> = new Set(['de', 'nl'])

/** A word without its ending, so that "Taschen" and "Tasche" are the same. It is no word: two of them are compared. */
export const stemOf = (word: string, language: Language): string => STEMMERS[language](word)

type Stemmer = (word: string) => string

/** A stem keeps so many letters. */
const STEM_MIN = 3

/** The endings of a language. */
interface Endings {
  all: ReadonlySet<string>
  longest: number
}

const endings = (list: string): Endings => {
  const all = list.split(' ')
  return { all: new Set(all), longest: Math.max(...all.map(({ length }) => length)) }
}

/** Cuts the longest ending that a word has and that leaves a stem. */
function cut(word: string, { all, longest }: Endings): string {
  for (let size = Math.min(longest, word.length - STEM_MIN); size > 0; size--)
    if (all.has(word.slice(-size))) return word.slice(0, -size)
  return word
}

const GERMAN = endings('innen chen lein ern em en er es e n s')
const FRENCH = endings('euses elles ettes ees es ee x s e')
const SPANISH = endings('es as os s a o e')
const PORTUGUESE = endings('oes aes ais eis ois ns as os es s ao al el ol m a o e')
const ITALIAN = endings('ie io ii i e o a')
const DUTCH = endings('etjes tjes etje tje jes je en es s e')
const POLISH = endings(
  'owych owego owej owym owymi iami ami ach ego emu ymi imi iej owa owe owy ow om em ych ich ym im ie ia io iu ej a e y i o u',
)

const STEMMERS: Readonly<Record<Language, Stemmer>> = {
  de: (word) => cut(word, GERMAN),
  fr(word) {
    // "chapeaux", "animaux"
    const one = word.endsWith('aux') && !word.endsWith('eaux') ? `${word.slice(0, -3)}al` : word
    return cut(one, FRENCH)
  },
  es: (word) => soften(cut(word, SPANISH)),
  pt: (word) => cut(word, PORTUGUESE),
  // "borsa" and "borse", "giacca" and "giacche"
  it(word) {
    const stem = cut(word, ITALIAN)
    return stem.endsWith('ch') || stem.endsWith('gh') ? stem.slice(0, -1) : stem
  },
  nl: (word) => hardenDutch(cut(word, DUTCH)),
  pl: (word) => dropMobile(cut(word, POLISH)),
}

/** "vazen" and "vaas", "brieven" and "brief", "jassen" and "jas" have one stem. */
function hardenDutch(stem: string): string {
  let hard = ''
  for (let n = 0; n < stem.length; n++) if (stem[n] !== stem[n - 1]) hard += stem[n]
  if (hard.endsWith('z')) return `${hard.slice(0, -1)}s`
  return hard.endsWith('v') ? `${hard.slice(0, -1)}f` : hard
}

const VOWELS = new Set('aeiouy')

/** "torebka" and "torebek" have one stem. */
function dropMobile(stem: string): string {
  const last = stem.length - 1
  if (stem.length <= STEM_MIN || stem[last - 1] !== 'e' || VOWELS.has(stem[last] as string)) return stem
  const end = stem[last - 2] === 'i' ? last - 2 : last - 1
  return stem.slice(0, end) + stem[last]
}

/** "luces" and "luz". */
const soften = (stem: string): string => (stem.endsWith('c') ? `${stem.slice(0, -1)}z` : stem)
