import type { ImportFinding } from '#generated/api.ts'
import type { Sentence } from '../../notices/describe.ts'

/** What the sentences of all findings are about, as people read it. */
export type FindingFacts = Readonly<Record<'products' | 'line' | 'column' | 'encoding' | 'fields', string>>

/** A sentence for each finding that the API knows. */
export type FindingTexts = Readonly<Record<ImportFinding['code'], (facts: FindingFacts) => string>>

interface Words {
  findings: FindingTexts
  /** Names of the fields of a product. */
  fields: Readonly<Record<string, string>>
  format(value: number): string
}

/** Says in the given words what the service found; in the API's if these pages do not know the code. */
export function describeFinding({ code, data, text }: ImportFinding, words: Words): Sentence {
  const build = Object.hasOwn(words.findings, code) ? words.findings[code] : undefined
  if (!build) return { text, isEnglish: true }
  const read = (name: string): string => {
    const value = data[name]
    return typeof value === 'number' ? words.format(value) : typeof value === 'string' ? value : '–'
  }
  const fields = Array.isArray(data['fields']) ? data['fields'].map(String) : []
  const facts: FindingFacts = {
    ...{ products: read('products'), line: read('line'), column: read('column'), encoding: read('encoding') },
    fields: fields.map((field) => words.fields[field] ?? field).join(', '),
  }
  return { text: build(facts), isEnglish: false }
}
