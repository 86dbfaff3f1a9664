import { LANGUAGES } from '../../../src/features/discovery/search/meaning/languages.ts'

/** What one line of a file says. */
export interface Concept {
  /** In English, as the file writes it. */
  meaning: string
  /** The words of English and of each language, folded. */
  cells: string[][]
}

const COLUMNS = 1 + LANGUAGES.length
const END = /^# end (\d+)$/

/**
 * Reads the concepts of a file: one a line, English first, the words of a cell parted by `|`.
 *
 * @throws Error where the file is not whole.
 */
export function readConcepts(file: string, text: string): Concept[] {
  const lines = text.trimEnd().split('\n')
  const [, count] = END.exec(lines.at(-1)?.trim() ?? '') ?? []
  if (count === undefined) throw new Error(`${file}: its last line does not count its concepts`)
  const concepts: Concept[] = []
  for (const [n, line] of lines.entries()) {
    if (line.trim() === '' || line.startsWith('#')) continue
    const cells = line.split('\t').map((cell) => (cell === '' ? [] : cell.split('|')))
    const meaning = cells[0]?.[0] ?? ''
    if (cells.length !== COLUMNS || meaning === '')
      throw new Error(`${file}: line ${n + 1} has not ${COLUMNS} cells, the first with a word`)
    concepts.push({ meaning, cells: cells.map((words) => words.map(fold)) })
  }
  if (concepts.length !== Number(count))
    throw new Error(`${file}: it has ${concepts.length} concepts instead of ${count}`)
  return concepts
}

const LETTERS: Readonly<Record<string, string>> = { ß: 'ss', ł: 'l', ø: 'o', æ: 'ae', đ: 'd', œ: 'oe' }

/** Folds a word as those of a query are folded. */
const fold = (word: string): string =>
  word
    .toLowerCase()
    .normalize('NFKD')
    .replace(/[\u0300-\u036f]+/g, '')
    .replace(/[ßłøæđœ]/g, (letter) => LETTERS[letter] as string)
    .replace(/[-'’‘./,& ]+/g, ' ')
    .trim()
