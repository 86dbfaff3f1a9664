import type { Notice } from '#generated/api.ts'

/** The numbers of all kinds of notices. */
const FIGURES = [
  ...(['failed', 'total', 'count', 'feeds', 'failures', 'products', 'percent', 'days', 'searches'] as const),
  ...(['zero_results', 'used', 'limit', 'webhooks', 'disabled', 'keys', 'members'] as const),
] as const

/** The numbers of one notice, as people read them. */
export type Figures = Readonly<Record<(typeof FIGURES)[number], string>>

/** A sentence for each kind of notice that the API knows. */
export type NoticeTexts = Readonly<Record<Notice['kind'], (figures: Figures) => string>>

/** Reads the numbers of a notice. Those that its kind does not have are dashes, which no sentence of its kind shows. */
function readFigures(data: Notice['data'], format: (value: number) => string): Figures {
  const read = (name: string): string => {
    const value = data[name]
    return typeof value === 'number' ? format(value) : '–'
  }
  return Object.fromEntries(FIGURES.map((name) => [name, read(name)])) as Figures
}

/** A sentence, and whether it is the English one of the API. */
export interface Sentence {
  text: string
  isEnglish: boolean
}

/** Says in the given language what a notice is about; in the API's words if it is of a kind that these pages do not know. */
export function describe(
  { kind, data, text }: Pick<Notice, 'kind' | 'data' | 'text'>,
  texts: NoticeTexts,
  format: (value: number) => string,
): Sentence {
  const build = Object.hasOwn(texts, kind) ? texts[kind] : undefined
  return build ? { text: build(readFigures(data, format)), isEnglish: false } : { text, isEnglish: true }
}
