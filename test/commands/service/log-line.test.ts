import { expect, test } from 'bun:test'
import { createLog } from '../../../src/commands/service/log.ts'
import { formatLogLine } from '../../../src/commands/service/log-line.ts'

/** 13:14:15 of the machine's time. */
const TIME = new Date(2026, 10, 22, 13, 14, 15).getTime()

const line = (entry: object, isColoured = false) =>
  formatLogLine(`${JSON.stringify({ level: 30, time: TIME, ...entry })}\n`, isColoured)

test('a line for people: time, level, message, fields', () => {
  expect(line({ pictures: 3, data_dir: '/a b', ok: true, share: 0.123456789, msg: 'index loaded' })).toBe(
    '13:14:15 INFO  index loaded  pictures=3 data_dir="/a b" ok=true share=0.12346\n',
  )
  expect(line({ level: 50, msg: 'gone' })).toBe('13:14:15 ERROR gone\n')
})

test('an error stands below with its stack', () => {
  expect(line({ level: 50, msg: 'broken', err: { message: 'no', stack: 'Error: no\n    at here' } })).toBe(
    '13:14:15 ERROR broken\n  Error: no\n      at here\n',
  )
})

test('no value can command the terminal or imitate a line', () => {
  const shown = line({ msg: 'x\u001b[2J', path: '/\n13:14:15 INFO forged', name: '\u202egnp\u009b31m' })
  expect(shown.trimEnd()).not.toMatch(/[\p{Cc}\p{Cf}]/u)
  expect(shown).toContain('x\\u{1b}[2J')
})

test('colours are codes around level and fields', () => {
  expect(line({ level: 40, msg: 'careful', a: 1 }, true)).toBe(
    '\u001b[2m13:14:15\u001b[0m \u001b[33mWARN \u001b[0m careful  \u001b[2ma=1\u001b[0m\n',
  )
})

test('a log writes such lines where people read it', () => {
  const written: string[] = []
  createLog('warn', (lines) => void written.push(lines), true).warn({ n: 1 }, 'careful')
  expect(written.join('')).toMatch(/WARN .*careful/)
  expect(written.join('')).toContain('n=1')
})
