import { describe, expect, test } from 'bun:test'
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { BARS, type Bar } from '../../scripts/bars/list.ts'
import { formatMarkdown, formatText, judge, readFailures } from '../../scripts/bars/verdict.ts'
import { type BarLine, recordBar } from '../robustness/bars.ts'

const bar: Bar = {
  ...{ number: 99, name: 'nothing lost', demand: 'Nothing is lost.', suites: [] },
  parts: [
    { name: 'kills', full: 1_000, cheap: 50 },
    { name: 'cuts', full: 20 },
  ],
}
const line = (part: string, n: number, isMet = true): BarLine => ({
  ...{ bar: 99, part, n, isMet },
  ...{ on: 'executable', measured: '0 lost' },
})
const judgeLines = (lines: BarLine[], { failed = [] as string[], isFull = false, of = bar } = {}) =>
  judge(of, lines, failed, isFull).verdict

describe('the verdict on a bar', () => {
  test('holds when every part was run often enough, in one test or in several', () => {
    expect(judgeLines([line('kills', 50), line('cuts', 20)])).toBe('holds')
    expect(judgeLines([line('kills', 30), line('kills', 20), line('cuts', 20)])).toBe('holds')
  })

  test('fails for one figure that is not met, and for one test that failed', () => {
    expect(judgeLines([line('kills', 50), line('cuts', 20, false)])).toBe('fails')
    expect(judgeLines([line('kills', 50), line('cuts', 20)], { failed: ['a test'] })).toBe('fails')
    expect(judgeLines([], { failed: ['a test'] })).toBe('fails')
  })

  test('partly where a part was left out, or run less often than the cheap set does', () => {
    expect(judgeLines([line('kills', 50)])).toBe('partly')
    expect(judgeLines([line('kills', 49), line('cuts', 20)])).toBe('partly')
  })

  test('the full run asks for what the bar demands', () => {
    expect(judgeLines([line('kills', 999), line('cuts', 20)], { isFull: true })).toBe('partly')
    expect(judgeLines([line('kills', 1_000), line('cuts', 20)], { isFull: true })).toBe('holds')
  })

  test('not run without a record; not built where what it needs does not exist', () => {
    const unbuilt: Bar = { ...bar, parts: [{ name: 'copies', full: 1, isMissing: true }] }
    expect(judgeLines([])).toBe('not run')
    expect(judgeLines([], { of: unbuilt })).toBe('not built')
    const half: Bar = { ...bar, parts: [...bar.parts, { name: 'jobs', full: 1, isMissing: true }] }
    expect(judgeLines([line('kills', 50), line('cuts', 20)], { of: half })).toBe('partly')
  })
})

test('the table names what was run and how often, what ran it, and what was measured', () => {
  const judged = [judge(bar, [line('kills', 50), line('others', 3)], ['a test'], false)]
  const text = formatText(judged)
  expect(text).toContain('99  nothing lost            fails')
  expect(text).toContain('Nothing is lost.')
  expect(text).toContain('kills 50 of 1,000 (executable)')
  expect(text).toContain('cuts: not run')
  expect(text).toContain('others 3 (executable)')
  expect(text).toContain('kills: 0 lost')
  expect(text).toContain('failed: a test')
  expect(text).toContain('1 bars: holds 0, fails 1')
  expect(formatMarkdown(judged)).toContain(
    '| 99 | nothing lost | Nothing is lost. | kills 50 of 1,000 (executable)<br>',
  )
})

test('failures are read by their file, once', () => {
  const log = [
    'bun test v1.4.5',
    'test/a.test.ts:',
    '(pass) good [1.00ms]',
    '(fail) group > bad (2 times) [0.12ms]',
    'test/b.test.ts:',
    '(fail) worse',
    '2 tests failed:',
    '(fail) group > bad (2 times) [0.12ms]',
    '(fail) worse',
  ].join('\n')
  expect([...readFailures(log, 'test/c.test.ts:\n(fail) late [1.2s]')]).toEqual([
    ['test/a.test.ts', ['group > bad (2 times)']],
    ['test/b.test.ts', ['worse']],
    ['test/c.test.ts', ['late']],
  ])
})

test('the bars stand in their order, and each file that they name exists', () => {
  const numbers = BARS.map(({ number }) => number)
  expect(numbers).toEqual([...new Set(numbers)].sort((a, b) => a - b))
  expect(numbers.slice(0, 39)).toEqual(Array.from({ length: 39 }, (_, n) => n + 1))
  const suites = BARS.flatMap((listed) => listed.suites)
  expect(suites.filter((suite) => !existsSync(join(import.meta.dir, '../..', suite)))).toEqual([])
  for (const { parts } of BARS) expect(new Set(parts.map(({ name }) => name)).size).toBe(parts.length)
})

describe('recording', () => {
  const record = { bar: 1, part: 'kills', on: 'process', n: 2, measured: '0 lost', isMet: true } as const

  test('adds lines to the file that BARS_FILE names, and does nothing without one', () => {
    const folder = mkdtempSync(join(tmpdir(), 'lookalike-bars-'))
    const before = process.env['BARS_FILE']
    try {
      delete process.env['BARS_FILE']
      recordBar(record)
      process.env['BARS_FILE'] = join(folder, 'records.jsonl')
      recordBar(record)
      recordBar({ ...record, n: 3 })
      const lines = readFileSync(join(folder, 'records.jsonl'), 'utf8').trim().split('\n')
      expect(lines.map((text) => JSON.parse(text))).toEqual([record, { ...record, n: 3 }])
    } finally {
      if (before === undefined) delete process.env['BARS_FILE']
      else process.env['BARS_FILE'] = before
      rmSync(folder, { recursive: true })
    }
  })

  test('refuses what never happened', () => {
    expect(() => recordBar({ ...record, n: 0 })).toThrow('nothing was run')
    expect(() => recordBar({ ...record, n: Number.NaN })).toThrow('nothing was run')
  })
})
