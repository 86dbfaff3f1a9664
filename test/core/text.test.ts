import { expect, test } from 'bun:test'
import { fold, words } from '../../src/core/text.ts'

test.each([
  ['  Red   Mug ', 'red mug'],
  ['Café', 'cafe'],
  ['Cafe\u0301', 'cafe'],
  ['ＡＢＣ', 'abc'],
  ['ﬁne', 'fine'],
  ['Ünïque\tÅ', 'unique a'],
  ['日本語', '日本語'],
  ['İ', 'i'],
  ['', ''],
])('%p folds to %p', (text, folded) => {
  expect(fold(text)).toBe(folded)
  expect(fold(fold(text))).toBe(folded)
})

test.each([
  ["Men's shoes, size 42!", ['men', 's', 'shoes', 'size', '42']],
  ['  --- ', []],
  ['Äpfel & Öl', ['apfel', 'ol']],
])('the words of %p are %p', (text, list) => {
  expect(words(text)).toEqual(list)
})
