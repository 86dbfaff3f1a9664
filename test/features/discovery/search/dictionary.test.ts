import { expect, test } from 'bun:test'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { foldColour } from '../../../../src/core/colours/words.ts'

const FOLDER = join(import.meta.dir, '../../../../src/features/discovery/search/meaning/dictionary')
const LANGUAGES = ['en', 'de', 'fr', 'es', 'it', 'nl', 'pl', 'pt']
const CELL_MAX = 60

/** Words of grammar. A dictionary that translates one of them spoils queries of every other kind. */
const GRAMMAR = new Set(
  (
    'der die das den dem des ein eine und oder mit ohne für von vom zu im in an am auf aus bei nach über unter ist wie nur ' +
    'the a and or with without for of to from at by on le la les un une du de et ou avec sans pour dans sur par en au aux ' +
    'el los las una con sin para por del al lo gli ed senza per di da della nel su het een met zonder voor van te tot op uit om ' +
    'i oraz lub z ze bez dla do na w od po przy o os as um uma com sem dos nos nas em ao'
  ).split(' '),
)

/** A file's concepts, each as the words of its eight cells. */
function readConcepts(file: string): string[][][] {
  const lines = readFileSync(join(FOLDER, file), 'utf8').split('\n')
  return lines
    .filter((line) => line !== '' && !line.startsWith('#'))
    .map((line) => line.split('\t').map((cell) => (cell === '' ? [] : cell.split('|'))))
}

const files = readdirSync(FOLDER).filter((file) => file.endsWith('.tsv'))
const concepts = files.flatMap((file) => readConcepts(file).map((cells) => ({ file, cells })))

test('each file names its columns, and counts its concepts at its end', () => {
  expect(files.length).toBe(15)
  for (const file of files) {
    const text = readFileSync(join(FOLDER, file), 'utf8')
    expect(text).toStartWith(`# ${LANGUAGES.join('\t')}\n`)
    expect(text).toEndWith(`\n# end ${readConcepts(file).length}\n`)
    expect(text).toBe(text.normalize('NFC'))
  }
})

test('a concept has eight cells of short lower-case words, of which English and another have some', () => {
  for (const { file, cells } of concepts) {
    const place = `${file}: ${cells[0]?.[0]}`
    expect(cells.length, place).toBe(LANGUAGES.length)
    expect(cells[0], place).not.toBeEmpty()
    expect(cells.slice(1).flat(), place).not.toBeEmpty()
    for (const words of cells) {
      expect(words.join('|').length, place).toBeLessThanOrEqual(CELL_MAX)
      for (const word of words) {
        expect(word, place).toMatch(/^[\p{L}\p{N}](?:[\p{L}\p{N}'’./&-]| (?! ))*$/u)
        expect(word, place).toBe(word.toLowerCase().trim())
        expect(GRAMMAR.has(word), `${place}: ${word}`).toBe(false)
      }
    }
  }
})

test('a word of a language leads to one concept', () => {
  const twice: string[] = []
  for (const [at, language] of LANGUAGES.entries()) {
    const seen = new Map<string, string>()
    for (const { cells } of concepts) {
      const concept = cells[0]?.[0] ?? ''
      for (const word of new Set(cells[at]?.map(foldColour))) {
        const other = seen.get(word)
        if (other !== undefined) twice.push(`${language} ${word}: ${other}, ${concept}`)
        seen.set(word, concept)
      }
    }
  }
  expect(twice).toEqual([])
})

test.each([
  ['de', 'rock', 'skirt'],
  ['de', 'handy', 'phone'],
  ['fr', 'robe', 'dress'],
  ['de', 'kuchen', 'cake'],
  ['fr', 'pain', 'bread'],
  ['fr', 'banane', 'banana'],
  ['fr', 'sac banane', 'belt bag'],
  ['es', 'vaso', 'glass'],
  ['it', 'tazza', 'mug'],
  ['nl', 'broek', 'trousers'],
  ['nl', 'slang', 'garden hose'],
  ['pl', 'but', 'shoes'],
  ['pt', 'copo', 'glass'],
])('knows that the %s word %s means %s', (language, word, english) => {
  const at = LANGUAGES.indexOf(language)
  expect(concepts.find(({ cells }) => cells[at]?.includes(word))?.cells[0]?.[0]).toBe(english)
})

test.each(['gift', 'chair'])('leaves %s out where it misleads', (word) => {
  expect(concepts.some(({ cells }) => cells.slice(1).some((words) => words.includes(word)))).toBe(false)
})
