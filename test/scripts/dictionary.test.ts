import { describe, expect, test } from 'bun:test'
import { readConcepts } from '../../scripts/generate/dictionary/concepts.ts'
import { orderFiles } from '../../scripts/generate/dictionary/order.ts'
import { createParts } from '../../scripts/generate/dictionary/parts.ts'
import { createDictionary } from '../../src/features/discovery/search/meaning/dictionary.ts'
import { packTable, readTable } from '../../src/features/discovery/search/meaning/table-file.ts'

const CUP = 'cup|mug\ttasse|becher\ttasse\ttaza\ttazza\tkop|kopje\tkubek\txícara'
const WHOLE = `# en\tde\n${CUP}\n\n# end 1\n`

describe('a file of the dictionary that is not whole stops the build', () => {
  test.each([
    ['cut in a line', WHOLE.slice(0, 20)],
    ['cut before its end', WHOLE.slice(0, WHOLE.indexOf('# end'))],
    ['with a line less', WHOLE.replace('# end 1', '# end 2')],
    ['with a line more', WHOLE.replace(CUP, `${CUP}\n${CUP}`)],
    ['with a cell less', WHOLE.replace('\txícara', '')],
    ['without English', WHOLE.replace('cup|mug', '')],
    ['empty', ''],
  ])('%s', (_, broken) => {
    expect(() => readConcepts('broken.tsv', broken)).toThrow('broken.tsv: ')
  })

  test('a whole one does not', () => {
    expect(readConcepts('whole.tsv', WHOLE)).toMatchObject([{ meaning: 'cup' }])
  })
})

/** What the dictionary is that the build makes of some lines. */
function build(...lines: string[]) {
  const text = `${lines.join('\n')}\n# end ${lines.length}\n`
  const table = readTable(packTable(createParts(readConcepts('test.tsv', text))))
  if (typeof table === 'string') throw new Error(table)
  return createDictionary(table)
}

test('the build folds, stems and sorts words, and the program finds them in every form', () => {
  const dictionary = build(CUP, 'party dress|café dress\tpartykleid\trobe de soirée\t\t\t\t\t')
  expect(dictionary.find('de', 'tassen')).toBe('cup')
  expect(dictionary.find('nl', 'kopjes')).toBe('cup')
  expect(dictionary.find('pt', 'xicaras')).toBe('cup')
  expect(dictionary.find('fr', 'robes de soirees')).toBe('party dress')
  expect(dictionary.beginsPhrase('fr', 'robes')).toBe(true)
  expect(dictionary.findCompound('de', 'bechertassen')).toEqual({ meaning: 'cup cup', isWhole: true })
  expect([dictionary.isEnglish('mugs'), dictionary.isEnglish('cafe dress')]).toEqual([true, true])
  for (const unknown of ['', 't', 'tas', 'kopf', 'robe', 'xícara', 'tasse tasse'])
    expect(dictionary.find('fr', unknown), unknown).toBeUndefined()
})

test('of two meanings of a stem the first counts, and the other word keeps its own', () => {
  const dictionary = build(
    'moka pot\t\t\tmoka\t\t\t\t',
    'mocha\t\t\tmoko\t\t\t\t',
    'roller\trollen\t\t\t\t\t\t',
    'role\trolle\t\t\t\t\t\t',
  )
  expect([dictionary.find('es', 'moka'), dictionary.find('es', 'moko')]).toEqual(['moka pot', 'mocha'])
  expect([dictionary.find('de', 'rollen'), dictionary.find('de', 'rolle')]).toEqual(['roller', 'role'])
})

test('a dictionary without words finds nothing', () => {
  const dictionary = build()
  expect([dictionary.find('de', 'tasse'), dictionary.find('de', '')]).toEqual([undefined, undefined])
})

test('a word that the program could not find stops the build', () => {
  expect(() => build(CUP.replace('kubek', 'кубок'))).toThrow('cannot hold "кубок"')
})

test('a new file stands between the common goods and what describes goods', () => {
  expect(
    orderFiles(['modifiers.tsv', 'boats.tsv', 'home-furniture.tsv', 'anchors.tsv', 'clothing.tsv']),
  ).toEqual(['clothing.tsv', 'home-furniture.tsv', 'anchors.tsv', 'boats.tsv', 'modifiers.tsv'])
})
