import { COMPOUNDS, LANGUAGES, type Language, stemOf } from './languages.ts'

/** What the words of one language are in English. */
interface Column {
  /** By the stems of a word or of the words of a phrase. */
  stems: Map<string, string>
  /** Words whose stem is that of another one, and all short ones, whose stems many have. */
  others: Map<string, string>
  /** The stems with which phrases begin. */
  beginnings: Set<string>
  /** The words as the files have them. */
  listed: Set<string>
}

export type Dictionary = ReturnType<typeof createDictionary>

/** Words of the longest phrase that is looked up. */
export const PHRASE_WORDS_MAX = 5

/** Words of so many letters have stems that others have as well: the Dutch "mok" and the Spanish "moka". */
const SHORT_CHARS_MAX = 4

/** The parts of a compound. */
const PARTS_MAX = 3
const PART_CHARS_MIN = 3
/** The shortest end of a word that says what it is, where nobody knows its beginning. */
const HEAD_CHARS_MIN = 4
const COMPOUND_CHARS_MAX = 40
/** Letters between the parts of a compound. */
const LINKS = ['', 's', 'es', 'n', 'en', 'er', 'e'] as const

/**
 * Creates an empty dictionary of several languages.
 *
 * @param warn learns of a file that is left out because it is not whole.
 */
export function createDictionary(warn: (file: string, reason: string) => void) {
  const columns = new Map<Language, Column>(
    LANGUAGES.map((language) => [
      language,
      { stems: new Map(), others: new Map(), beginnings: new Set(), listed: new Set() },
    ]),
  )
  const english = new Set<string>()
  function add(meaning: string, [first = '', ...cells]: readonly string[]): void {
    for (const word of first.split('|')) english.add(word).add(singularOf(word))
    for (const [n, cell] of cells.entries()) {
      const language = LANGUAGES[n] as Language
      if (cell !== '') for (const phrase of cell.split('|')) put(language, phrase, meaning)
    }
  }

  function put(language: Language, phrase: string, meaning: string): void {
    const { stems, others, beginnings, listed } = columns.get(language) as Column
    listed.add(phrase)
    const stem = stemAll(phrase, language)
    const known = stems.get(stem)
    if (known === undefined) {
      stems.set(stem, meaning)
      const space = stem.indexOf(' ')
      if (space > 0) beginnings.add(stem.slice(0, space))
    }
    const isOther = known !== undefined && known !== meaning
    if ((isOther || phrase.length <= SHORT_CHARS_MAX) && !others.has(phrase)) others.set(phrase, meaning)
  }

  /** What words mean together, in the form that they have or another one. */
  function find(language: Language, phrase: string): string | undefined {
    const { stems, others } = columns.get(language) as Column
    return others.get(phrase) ?? stems.get(stemAll(phrase, language))
  }

  /** What a word means that is made of several. `isWhole` says whether all of them are known, and not the last one alone. */
  function findCompound(
    language: Language,
    word: string,
    parts = PARTS_MAX,
  ): { meaning: string; isWhole: boolean } | undefined {
    if (!COMPOUNDS.has(language) || word.length > COMPOUND_CHARS_MAX) return undefined
    let head: string | undefined
    for (let at = PART_CHARS_MIN; at <= word.length - PART_CHARS_MIN; at++) {
      const end = find(language, word.slice(at))
      if (end === undefined) continue
      const before = findBeginning(language, word.slice(0, at), parts - 1)
      if (before !== undefined) return { meaning: `${before} ${end}`, isWhole: true }
      if (word.length - at >= HEAD_CHARS_MIN) head ??= end
    }
    return head === undefined ? undefined : { meaning: head, isWhole: false }
  }

  /** What the first part of a compound means, without what links it to the next one. */
  function findBeginning(language: Language, beginning: string, parts: number): string | undefined {
    for (const link of LINKS) {
      if (!beginning.endsWith(link)) continue
      const found = find(language, beginning.slice(0, beginning.length - link.length))
      if (found !== undefined) return found
    }
    return parts > 1 ? findCompound(language, beginning, parts)?.meaning : undefined
  }

  return {
    /** Adds what a file holds: one concept a line, English first, the words of a cell parted by `|`. */
    addFile(file: string, text: string): void {
      const concepts = readFile(text)
      if (typeof concepts === 'string') warn(file, concepts)
      else for (const { meaning, cells } of concepts) add(meaning, cells)
    },
    find,
    findCompound,
    /** Whether a word is too short to be known by its stem, and no word of a language as it is. */
    isDoubtful: (language: Language, word: string): boolean =>
      word.length <= SHORT_CHARS_MAX && !(columns.get(language) as Column).others.has(word),
    /** Whether a word is known in the form that it has. */
    isListed: (language: Language, word: string): boolean =>
      (columns.get(language) as Column).listed.has(word),
    /** Whether a phrase of several words may begin with a word. */
    beginsPhrase: (language: Language, word: string): boolean =>
      (columns.get(language) as Column).beginnings.has(stemOf(word, language)),
    /** Whether a word is the English one of a concept. */
    isEnglish: (word: string): boolean => english.has(word) || english.has(singularOf(word)),
  }
}

const singularOf = (word: string): string =>
  word.endsWith('s') && word.length > 3 ? word.slice(0, -1) : word

const stemAll = (phrase: string, language: Language): string =>
  phrase.includes(' ')
    ? phrase
        .split(' ')
        .map((word) => stemOf(word, language))
        .join(' ')
    : stemOf(phrase, language)

const COLUMNS = 1 + LANGUAGES.length
const END = /^# end (\d+)$/

interface Concept {
  /** In English, as the file writes it. */
  meaning: string
  /** The words of each language, folded and parted by `|`. */
  cells: string[]
}

/** The concepts of a file; or why it is not whole. */
function readFile(text: string): Concept[] | string {
  const lines = text.trimEnd().split('\n')
  const [, count] = END.exec(lines.at(-1)?.trim() ?? '') ?? []
  if (count === undefined) return 'its last line does not count its concepts'
  const folded = foldAll(text).split('\n')
  const concepts: Concept[] = []
  for (const [n, line] of lines.entries()) {
    if (line.trim() === '' || line.startsWith('#')) continue
    const cells = (folded[n] as string).split('\t')
    const meaning = line.slice(0, endOf(line))
    if (cells.length !== COLUMNS || meaning === '') return `line ${n + 1} has not ${COLUMNS} cells`
    concepts.push({ meaning, cells })
  }
  return concepts.length === Number(count)
    ? concepts
    : `it has ${concepts.length} concepts instead of ${count}`
}

/** Where the first word of a line ends. */
function endOf(line: string): number {
  const tab = line.indexOf('\t')
  const bar = line.indexOf('|')
  return bar === -1 || (tab !== -1 && tab < bar) ? Math.max(0, tab) : bar
}

const LETTERS: Readonly<Record<string, string>> = { ß: 'ss', ł: 'l', ø: 'o', æ: 'ae', đ: 'd', œ: 'oe' }

/** Folds a whole file at once, as words of a query are; lines and cells stay. */
const foldAll = (text: string): string =>
  text
    .toLowerCase()
    .normalize('NFKD')
    .replace(/[\u0300-\u036f]+/g, '')
    .replace(/[ßłøæđœ]/g, (letter) => LETTERS[letter] as string)
    .replace(/[-'’‘./,& ]+/g, ' ')
    .replace(/ ?([|\t\n]) ?/g, '$1')
