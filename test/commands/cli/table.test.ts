import { expect, test } from 'bun:test'
import { formatTable, makeVisible } from '../../../src/commands/cli/table.ts'

test('columns are as wide as their widest cell, in columns of the terminal', () => {
  const rows = [
    ['NAME', 'PLAN'],
    ['Café', 'free'],
    ['店铺', 'basic'],
  ]
  expect(formatTable(rows)).toBe('NAME  PLAN\nCafé  free\n店铺  basic')
})

test('characters that a terminal obeys are written as their numbers', () => {
  expect(makeVisible('a\u001b]0;x\u0007b\nc\u202ed')).toBe('a\\u{1b}]0;x\\u{7}b\\u{a}c\\u{202e}d')
  expect(formatTable([['a\tb']])).toBe('a\\u{9}b')
})
