import { expect, test } from 'bun:test'
import { toNumber } from '../../src/http/number-text.ts'

test.each([
  ['5', 5],
  [' 5 ', 5],
  ['-.5', -0.5],
  ['1e3', 1000],
  ['5.', 5],
  ['', ''],
  ['true', 'true'],
  ['NaN', 'NaN'],
  ['1,000', '1,000'],
  ['5 6', '5 6'],
  [7, 7],
  [undefined, undefined],
])('as a number the text %p stands for %p', (text, value) => {
  expect(toNumber(text, 'number')).toBe(value as number)
})

test.each([
  ['5', 5],
  [' -5 ', -5],
  ['+5', 5],
  ['1e1', '1e1'],
  ['5.', '5.'],
  ['5.0', '5.0'],
  ['', ''],
  ['0x10', '0x10'],
])('as an integer the text %p stands for %p', (text, value) => {
  expect(toNumber(text, 'integer')).toBe(value as number)
})
