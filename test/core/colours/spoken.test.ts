import { describe, expect, test } from 'bun:test'
import { nameOf } from '../../../src/core/colours/shades.ts'
import { findSpokenColours } from '../../../src/core/colours/spoken.ts'

const read = (text: string, ...colours: string[]): string[] =>
  findSpokenColours(text, (word) => colours.includes(word)).map(({ shade }) => nameOf(shade))

describe('the colours that a query names', () => {
  test.each([
    ['yellow mug', ['yellow']],
    ['Navy dress', ['dark blue']],
    ['light blue shirt', ['light blue']],
    ['black and white sneakers', ['black', 'white']],
    ['red red red mug', ['red']],
    ['mug', []],
    ['', []],
  ])('of "%s"', (text, shades) => {
    expect(read(text)).toEqual(shades)
  })

  test.each([
    ['light jacket'],
    ['wine glass'],
    ['coffee table'],
    ['rose'],
    ['salmon fillet'],
    ['olive oil'],
    ['peach tea'],
    ['denim jacket'],
    ['clear vase'],
    ['blackboard'],
    ['sari'],
    ['ice cream'],
  ])('"%s" names none where no product of the store has it as its colour', (text) => {
    expect(read(text)).toEqual([])
  })

  test.each([
    ['gelbe Tasse', 'gelb', ['yellow']],
    ['schwarzes Kleid', 'schwarz', ['black']],
    ['tasses rouges', 'rouge', ['red']],
    ['robe bleue', 'bleu', ['blue']],
    ['jupe bleu clair', 'bleu', ['light blue']],
    ['rose dress', 'rose', ['pink']],
    ['grüner Rock', 'grun', ['green']],
  ])('"%s" names one in a store with the colour "%s"', (text, colour, shades) => {
    expect(read(text, colour)).toEqual(shades)
  })

  test.each([
    ['black friday', []],
    ['white wine', []],
    ['red wine', []],
    ['black friday red dress', ['red']],
    ['black mug friday', ['black']],
    ['red wine glass blue', ['blue']],
  ])('"%s" names no colour by a name of a thing or a day', (text, shades) => {
    expect(read(text)).toEqual(shades)
  })

  test.each([['shirt without red'], ['not black'], ['ohne blue']])('"%s" takes it back', (text) => {
    expect(read(text)).toEqual([])
  })

  test('a colour that no single colour of a picture shows is none', () => {
    expect(read('bunt transparent', 'bunt', 'transparent')).toEqual([])
  })

  test('says which words it has read', () => {
    const [colour] = findSpokenColours('a Light Blue mug', () => false)
    expect(colour).toMatchObject({ word: 'blue', toneWord: 'light' })
  })

  test('a long query names at most five', () => {
    expect(
      read(`${'x '.repeat(20)}red blue green yellow black white pink ${'red '.repeat(10_000)}`),
    ).toHaveLength(5)
  })
})
