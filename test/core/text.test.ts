import { expect, test } from 'bun:test'
import { decimalSize, fold, isLongerThan, sizeInWords, splitWords } from '../../src/core/text.ts'

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
  expect(splitWords(text)).toEqual(list)
})

test.each([
  [10 * 1024 * 1024, '10 MiB'],
  [1024 * 1024, '1 MiB'],
  [16 * 1024, '16 KiB'],
  [1024 * 1024 + 1024, '1025 KiB'],
  [1000, '1000 bytes'],
  [0, '0 bytes'],
])('%d bytes are %s', (bytes, words) => {
  expect(sizeInWords(bytes)).toBe(words)
})

test.each([
  ['abc', 2, true],
  ['ab', 2, false],
  ['👟👟', 2, false],
  ['👟👟👟', 2, true],
  ['', 0, false],
  ['a', Infinity, false],
])('%p is longer than %d characters: %p', (text, max, isLonger) => {
  expect(isLongerThan(text, max)).toBe(isLonger)
})

test.each([
  [500_000_000, '500 MB'],
  [10_000_000_000, '10 GB'],
  [1_250_000, '1.3 MB'],
  [0, '0 MB'],
])('%d bytes are %s', (bytes, words) => {
  expect(decimalSize(bytes)).toBe(words)
})
