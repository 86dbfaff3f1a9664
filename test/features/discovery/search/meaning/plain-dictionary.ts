import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { orderFiles } from '../../../../../scripts/generate/dictionary/order.ts'
import { foldColour } from '../../../../../src/core/colours/words.ts'
import { splitWords } from '../../../../../src/core/text.ts'
import {
  type DictionaryTable,
  singularOf,
  stemAll,
} from '../../../../../src/features/discovery/search/meaning/dictionary.ts'
import { LANGUAGES, type Language } from '../../../../../src/features/discovery/search/meaning/languages.ts'

const FOLDER = join(import.meta.dir, '../../../../../src/features/discovery/search/meaning/dictionary')

/** A word or a phrase as a query that has it is read. */
const read = (phrase: string): string => splitWords(phrase).map(foldColour).join(' ')

/** What the files of the dictionary say, read line by line into Maps. */
export function readPlainly() {
  const english = new Set<string>()
  const words: (readonly [Language, string])[] = []
  const columns = LANGUAGES.map((language) => {
    const maps = {
      stems: new Map<string, string>(),
      others: new Map<string, string>(),
      beginnings: new Set<string>(),
    }
    return [language, maps] as const
  })
  for (const file of orderFiles(readdirSync(FOLDER).filter((name) => name.endsWith('.tsv')))) {
    for (const line of readFileSync(join(FOLDER, file), 'utf8').split('\n')) {
      if (line === '' || line.startsWith('#')) continue
      const [first = [], ...cells] = line.split('\t').map((cell) => cell.split('|'))
      const meaning = first[0] as string
      for (const word of first.map(read)) english.add(word).add(singularOf(word))
      for (const [n, [language, { stems, others, beginnings }]] of columns.entries()) {
        for (const phrase of (cells[n] ?? []).map(read).filter((word) => word !== '')) {
          words.push([language, phrase])
          const stem = stemAll(phrase, language)
          if (phrase.length <= 4 || (stems.get(stem) ?? meaning) !== meaning)
            if (!others.has(phrase)) others.set(phrase, meaning)
          if (stems.has(stem)) continue
          stems.set(stem, meaning)
          if (stem.includes(' ')) beginnings.add(stem.split(' ')[0] as string)
        }
      }
    }
  }
  const table: DictionaryTable = { english, columns: new Map(columns) }
  return { table, words, english: [...english] }
}
