import { expect, test } from 'bun:test'
import { createLog } from '../../../src/commands/service/log.ts'

function openLog(level = 'info') {
  const writes: string[] = []
  const log = createLog(level, (lines) => void writes.push(lines))
  const messages = () =>
    writes.map((lines) =>
      lines
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line).msg),
    )
  return { log, writes, messages }
}

/** Waits for the end of the turn. */
const endOfTurn = () => new Promise<void>((resolve) => setImmediate(() => setImmediate(resolve)))

test('the lines of one turn are one write, in their order', async () => {
  const { log, messages } = openLog()
  log.info('one')
  log.info('two')
  expect(messages()).toEqual([])
  await endOfTurn()
  expect(messages()).toEqual([['one', 'two']])
  log.info('three')
  await endOfTurn()
  expect(messages()).toEqual([['one', 'two'], ['three']])
})

test.each(['warn', 'error', 'fatal'] as const)(
  'a line of level %s does not wait, nor do those before it',
  async (level) => {
    const { log, messages } = openLog()
    log.info('before')
    log[level]('fault')
    expect(messages()).toEqual([['before', 'fault']])
    log.info('after')
    await endOfTurn()
    expect(messages()).toEqual([['before', 'fault'], ['after']])
  },
)

test('no write is larger than a pipe takes whole, unless one line is, and no line is cut', async () => {
  const { log, writes } = openLog()
  for (let n = 0; n < 200; n++) log.info({ path: 'ä'.repeat(n) }, `line ${n}`)
  log.info({ path: 'x'.repeat(10_000) }, 'long')
  log.info('last')
  await endOfTurn()
  expect(writes.every((lines) => lines.endsWith('\n'))).toBe(true)
  const large = writes.filter((lines) => Buffer.byteLength(lines) > 4_096)
  expect(large.map((lines) => JSON.parse(lines).msg)).toEqual(['long'])
  const said = writes.join('').trimEnd().split('\n')
  expect(said.map((line) => JSON.parse(line).msg)).toEqual([
    ...Array.from({ length: 200 }, (_, n) => `line ${n}`),
    'long',
    'last',
  ])
})
