import { expect, test } from 'bun:test'
import { readPartHead } from '../../../src/http/multipart/part-head.ts'

test.each([
  ['filename="a.csv"', 'a.csv'],
  ['filename=a.csv', 'a.csv'],
  ['filename="C:\\shop\\a.csv"', 'C:\\shop\\a.csv'],
  ['filename="a\\"b.csv"', 'a"b.csv'],
  ['filename="a%22b.csv"', 'a"b.csv'],
  ["filename*=UTF-8''gr%C3%BCn.csv", 'grün.csv'],
  ['filename="gruen.csv"; filename*=utf-8\'de\'gr%C3%BCn.csv', 'grün.csv'],
  ['filename*=UTF-8\'\'gr%C3%BCn.csv; filename="gruen.csv"', 'grün.csv'],
  ['filename="a.csv"; filename*=UTF-8\'\'%zz', 'a.csv'],
  ["filename*=iso-8859-1''a.csv", "iso-8859-1''a.csv"],
])('the name of a file is read from %s', (parameters, expected) => {
  const head = readPartHead(Buffer.from(`Content-Disposition: form-data; ${parameters}; name="file"`))
  expect([head.fileName, head.name]).toEqual([expected, 'file'])
})
