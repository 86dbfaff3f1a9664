import { expect, test } from 'bun:test'
import { fillSentence } from '../../src/browser/portal/pages/team/fill-sentence.ts'

const ACT = '{who} revoked the key {what}'

test.each([
  ['Anna', '“sync”', 'Anna revoked the key “sync”'],
  ['Anna', '', 'Anna revoked the key'],
  ['Eve {what}', '“sync”', 'Eve {what} revoked the key “sync”'],
  ['{who}', '“{who} $& $1”', '{who} revoked the key “{who} $& $1”'],
  ['<b>Eve</b>', '“$`”', '<b>Eve</b> revoked the key “$`”'],
])('the log of %j and %j says: %s', (who, thing, sentence) => {
  expect(fillSentence(ACT, who, thing)).toBe(sentence)
})
