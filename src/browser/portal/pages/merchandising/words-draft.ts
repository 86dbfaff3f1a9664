import type { StoreWords, Synonyms } from '#generated/api.ts'

/** One line of a list, as it was typed. The key stays while others come and go. */
export interface Row {
  key: number
  left: string
  right: string
  /** The group as it was read: an untouched one goes back as it came, also with commas in its entries. */
  was?: Synonyms
}

export const LISTS = ['synonyms', 'redirects', 'ignore'] as const
export type ListName = (typeof LISTS)[number]
export type WordsDraft = Readonly<Record<ListName, readonly Row[]>>

const SEPARATOR = ', '

let keys = 0
export const newRow = (left = '', right = '', was?: Synonyms): Row => ({
  key: ++keys,
  ...{ left, right },
  ...(was && { was }),
})

const join = (entries: readonly string[] = []): string => entries.join(SEPARATOR)

export const toRows = ({ synonyms, redirects, ignore }: StoreWords): WordsDraft => ({
  synonyms: synonyms.map((group) => newRow(join(group.words), join(group.to), group)),
  redirects: redirects.map(({ words, url }) => newRow(words, url)),
  ignore: ignore.map((entry) => newRow(entry)),
})

const split = (text: string): string[] =>
  text
    .split(',')
    .map((entry) => entry.trim())
    .filter(Boolean)

function toGroup({ left, right, was }: Row): Synonyms {
  if (was && join(was.words) === left && join(was.to) === right) return was
  const to = split(right)
  return { words: split(left), ...(to.length > 0 && { to }) }
}

const isFilled = ({ left, right }: Row): boolean => left.trim() !== '' || right.trim() !== ''

/** The words that the lists describe; empty lines are left out. */
export const toWords = ({ synonyms, redirects, ignore }: WordsDraft): StoreWords => ({
  synonyms: synonyms.filter(isFilled).map(toGroup),
  redirects: redirects.filter(isFilled).map(({ left, right }) => ({ words: left.trim(), url: right.trim() })),
  ignore: ignore.filter(isFilled).map(({ left }) => left.trim()),
})
