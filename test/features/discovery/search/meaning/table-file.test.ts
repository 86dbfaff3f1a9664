import { describe, expect, test } from 'bun:test'
import { join } from 'node:path'
import { createDictionary } from '../../../../../src/features/discovery/search/meaning/dictionary.ts'
import { LANGUAGES, type Language } from '../../../../../src/features/discovery/search/meaning/languages.ts'
import { createDictionaryShelf } from '../../../../../src/features/discovery/search/meaning/shelf.ts'
import { translate } from '../../../../../src/features/discovery/search/meaning/translation.ts'
import { readPlainly } from './plain-dictionary.ts'

const ROOT = join(import.meta.dir, '../../../../..')
const file = await Bun.file(join(ROOT, 'dist/generated/dictionary.bin')).bytes()

async function load(bytes: Uint8Array<ArrayBuffer>) {
  const told: string[] = []
  const dictionary = await createDictionaryShelf((reason) => told.push(reason), new Blob([bytes]))()
  return { dictionary, told }
}

describe('the packed dictionary says what its files say', () => {
  const { table, words, english } = readPlainly()
  const plain = createDictionary(table)
  const loaded = load(file)

  type Asked = readonly [language: Language, phrase: string]

  /** What the packed dictionary answers otherwise. A developer who changed a file has to run "bun run generate". */
  async function differences(asked: Iterable<Asked>): Promise<Asked[]> {
    const { dictionary: packed, told } = await loaded
    expect(told).toEqual([])
    const isSame = ([language, phrase]: Asked): boolean =>
      packed.find(language, phrase) === plain.find(language, phrase) &&
      packed.isDoubtful(language, phrase) === plain.isDoubtful(language, phrase) &&
      packed.beginsPhrase(language, phrase) === plain.beginsPhrase(language, phrase) &&
      packed.isEnglish(phrase) === plain.isEnglish(phrase)
    return [...asked].filter((one) => !isSame(one))
  }
  const everyNth = (n: number): Asked[] => words.filter((_, at) => at % n === 0)

  test('of every word and phrase', async () => {
    expect(words.length).toBeGreaterThan(20_000)
    expect(await differences(words)).toEqual([])
    expect(await differences(english.map((word) => ['de', word]))).toEqual([])
  })

  test('of words in other languages and forms, of parts of phrases, and of words that it has not', async () => {
    const forms = ([language, word]: Asked): Asked[] =>
      [word.split(' ')[0] as string, `${word}s`, `${word}en`, word.slice(0, -1), `é${word}`].map((form) => [
        language,
        form,
      ])
    const inAll = (word: string): Asked[] => LANGUAGES.map((language) => [language, word])
    expect(await differences(everyNth(10).flatMap(forms))).toEqual([])
    expect(await differences(everyNth(50).flatMap(([, word]) => inAll(word)))).toEqual([])
    expect(await differences(['', 'ł', '\n', 'tasse\n', '日本'].flatMap(inAll))).toEqual([])
  })

  test('of compounds, and of whole queries', async () => {
    const { dictionary: packed } = await loaded
    for (const [n, [, first]] of everyNth(100).entries()) {
      const [, second] = words[(n * 7919) % words.length] as Asked
      const word = `${first}${n % 2 === 0 ? 's' : ''}${second}`
      for (const language of ['de', 'nl'] as const)
        expect(packed.findCompound(language, word)).toEqual(plain.findCompound(language, word))
      const query = `${first} ${word} ${second}`
      expect(translate(packed, query, { locale: null })).toEqual(translate(plain, query, { locale: null }))
    }
  })
})

describe('a file that is not whole is left out, and no query is translated', () => {
  test.each([
    ['empty', () => new Uint8Array()],
    ['cut in its head', () => file.slice(0, 7)],
    ['cut behind its head', () => file.slice(0, 12)],
    ['cut in the middle', () => file.slice(0, file.length >> 1)],
    ['cut before its last byte', () => file.slice(0, -1)],
    ['with a byte too many', () => new Uint8Array([...file, 0])],
    ['with another byte', () => file.with(file.length >> 1, (file[file.length >> 1] as number) ^ 1)],
    ['with another checksum', () => file.with(5, (file[5] as number) ^ 1)],
    ['of zeros', () => new Uint8Array(file.length)],
  ])('%s', async (_, damage) => {
    const { dictionary, told } = await load(damage())
    expect(told).toEqual([expect.stringMatching(/^it has \d+ bytes|^its checksum/)])
    expect(dictionary.find('de', 'tassen')).toBeUndefined()
    expect(dictionary.findCompound('de', 'kaffeetassen')).toBeUndefined()
    expect(dictionary.isEnglish('mug')).toBe(false)
    expect(translate(dictionary, 'schwarze Lederhandtasche', { locale: 'de' })?.text).not.toBe(
      'black leather bag',
    )
  })
})
