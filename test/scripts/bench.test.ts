import { describe, expect, test } from 'bun:test'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { BENCHES } from '../../scripts/bench/all.ts'
import type { Bench, Figure, Row } from '../../scripts/bench/parts/bench.ts'
import { addCpu, cpuPer, readCpu } from '../../scripts/bench/parts/cpu.ts'
import { createExactScan } from '../../scripts/bench/parts/exact.ts'
import { readWork, readWrittenBytes, workBetween } from '../../scripts/bench/parts/idle.ts'
import { readOptions } from '../../scripts/bench/parts/options.ts'
import {
  composeResults,
  describeRun,
  listMissing,
  mergeFigure,
  mergeRun,
  type Results,
} from '../../scripts/bench/parts/results.ts'
import { roundsWithin, warmUp } from '../../scripts/bench/parts/rounds.ts'
import { allow, estimate, MOST } from '../../scripts/bench/parts/schedule.ts'
import { seedStore } from '../../scripts/bench/parts/seed.ts'
import { inTurns, median, quantile, welch } from '../../scripts/bench/parts/statistics.ts'
import {
  describeFigure,
  formatMarkdown,
  formatValue,
  judge,
  tabulate,
} from '../../scripts/bench/parts/table.ts'
import { generateVectors } from '../../scripts/bench/parts/vectors.ts'
import { openDatabase } from '../../src/platform/db/open.ts'
import { createVectorTable } from '../../src/platform/vectors/vec0.ts'
import { MODEL_DIR } from '../platform/embedder/bundled.ts'
import { dot } from '../platform/vectors/units.ts'

const row: Row = { id: 'one', what: 'a thing', against: 'its limit', unit: 'ratio' }
const figure = (value: number, more: Partial<Figure> = {}): Figure => ({
  ...{ row: 'one', contestant: 'new', value },
  ...more,
})
const linesOf = (rows: Row[], figures: Figure[], contestants = ['new']) =>
  tabulate([{ rows } satisfies Pick<Bench, 'rows'>], figures, contestants).slice(1)

describe('statistics of a bench', () => {
  test('quantiles are values that occurred', () => {
    const values = [5, 1, 4, 2, 3]
    expect(median(values)).toBe(3)
    expect(quantile(values, 0.95)).toBe(5)
    expect(quantile(values, 0)).toBe(1)
    expect(median([])).toBeNaN()
  })

  test('Welch’s t is the distance of two means in standard errors', () => {
    expect(welch([1, 2, 3], [1, 2, 3])).toBe(0)
    expect(welch([4, 5, 6], [1, 2, 3])).toBeCloseTo(3.674, 3)
  })

  test('nobody always goes first', () => {
    expect([0, 1, 2].map((round) => inTurns(3, round))).toEqual([
      [0, 1, 2],
      [2, 1, 0],
      [0, 1, 2],
    ])
  })
})

describe('processor time', () => {
  test('is shared out between operations, by process', () => {
    const before = { main: 10, words: 0, pictures: 20 }
    const after = addCpu(before, { main: 30, words: 6, pictures: 0 })
    expect(cpuPer(3, before, after)).toEqual({ main: 10, words: 2, pictures: 0 })
  })

  test.skipIf(process.platform !== 'linux')('of a process is counted, and of its children', async () => {
    const command = 'i=0; while [ $i -lt 200000 ]; do i=$((i+1)); done'
    const before = readCpu(process.pid)
    await Bun.spawn(['sh', '-c', command]).exited
    expect(readCpu(process.pid).main).toBeGreaterThan(before.main)
    expect(() => readCpu(2 ** 30)).toThrow('There is no process')
  })
})

describe('the rounds of a measurement', () => {
  /** A clock that goes on by so many ms with each look. */
  const clock = (step: number) => {
    let now = 0
    return () => (now += step)
  }

  test('are so many, or end with the time', () => {
    expect([...roundsWithin({ rounds: 5, seconds: 60 }, clock(1))]).toEqual([0, 1, 2, 3, 4])
    expect([...roundsWithin({ rounds: 100, seconds: 1 }, clock(200))]).toHaveLength(7)
  })

  test('are three where each takes longer than there is time, and never more than wanted', () => {
    expect([...roundsWithin({ rounds: 100, seconds: 1 }, clock(5_000))]).toEqual([0, 1, 2])
    expect([...roundsWithin({ rounds: 2, seconds: 1 }, clock(5_000))]).toEqual([0, 1])
  })

  test('warm up for a third', () => {
    expect(warmUp({ rounds: 100, seconds: 6 })).toEqual({ rounds: 34, seconds: 2 })
  })
})

describe('the time of a run', () => {
  const benches = [{ minutes: { quick: 1, full: 4 } }, { minutes: { quick: 2, full: 3 } }]

  test('is what the benches say of themselves, for each executable', () => {
    expect(estimate(benches, 'quick', 1)).toBe(3)
    expect(estimate(benches, 'full', 2)).toBe(14)
  })

  test('lets a bench take twice as long, but not beyond the end of the run', () => {
    const [bench = { minutes: { quick: 0, full: 0 } }] = benches
    expect(allow(bench, 'full', 1, 0)).toBe(8)
    expect(allow(bench, 'full', 2, 0)).toBe(16)
    expect(allow(bench, 'full', 1, MOST.full - 5)).toBe(5)
    expect(allow(bench, 'quick', 1, MOST.quick + 1)).toBe(0)
  })

  test('of all benches is within its bound', () => {
    expect(estimate(BENCHES, 'quick', 1)).toBeLessThanOrEqual(MOST.quick)
    expect(estimate(BENCHES, 'full', 1)).toBeLessThanOrEqual(MOST.full)
  })
})

describe('the exact nearest vectors', () => {
  // More than a block of 4,096, and not a multiple of it.
  const vectors = [...generateVectors(5_001)]
  const queries = vectors.splice(-2)
  const mask = Uint8Array.from(vectors, (_, slot) => (slot % 3 === 0 ? 1 : 0))
  const naive = (query: Float32Array, accepts: (slot: number) => boolean) =>
    vectors
      .map((vector, slot) => ({ slot, score: dot(query, vector) }))
      .filter(({ slot }) => accepts(slot))
      .sort((a, b) => b.score - a.score)
      .slice(0, 10)
      .map(({ slot }) => slot)

  test('are those of a sort of all scores, with and without a mask', () => {
    const exact = createExactScan({ queries, k: 10, mask })
    for (const [slot, vector] of vectors.entries()) exact.visit(slot, vector)
    expect(exact.all()).toEqual(queries.map((query) => naive(query, () => true)))
    expect(exact.chosen()).toEqual(queries.map((query) => naive(query, (slot) => slot % 3 === 0)))
  })

  test('need every slot in its order', () => {
    const exact = createExactScan({ queries, k: 10, mask })
    expect(() => exact.visit(1, vectors[0] as Float32Array)).toThrow('Slot 1 comes where 0 was expected')
  })
})

describe('what a service does at rest', () => {
  const count = (cpuMs: number, waits: number) => ({ cpuMs, waits })

  test('is counted by thread: a new one from 0, and one that ended not at all', () => {
    const before = new Map([
      [1, count(100, 10)],
      [2, count(900, 90)],
    ])
    const after = new Map([
      [1, count(130, 14)],
      [3, count(5, 1)],
    ])
    expect(workBetween(before, after)).toEqual(count(35, 5))
    expect(workBetween(after, after)).toEqual(count(0, 0))
  })

  test.skipIf(process.platform !== 'linux')('is read of a process and of its children', () => {
    const child = Bun.spawn(['sh', '-c', 'sleep 60 & wait'])
    try {
      const before = readWork(process.pid)
      expect(before.main.has(process.pid)).toBe(true)
      expect(before.children.has(child.pid)).toBe(true)
    } finally {
      child.kill()
    }
  })

  test.skipIf(process.platform !== 'linux')('is counted in bytes that it writes', () => {
    const folder = mkdtempSync(join(tmpdir(), 'lookalike-written-'))
    try {
      const before = readWrittenBytes(process.pid)
      writeFileSync(join(folder, 'file'), new Uint8Array(1_000_000))
      expect(readWrittenBytes(process.pid) - before).toBeWithin(1_000_000, 1_100_000)
    } finally {
      rmSync(folder, { recursive: true, force: true })
    }
  })
})

describe('the verdict on a figure', () => {
  test('met at the goal itself, missed beyond it', () => {
    const verdicts = (goal: NonNullable<Row['goal']>, values: number[]) =>
      values.map((value) => judge({ ...row, goal }, figure(value)))
    expect(verdicts({ atMost: 1.5 }, [1.5, 1.51])).toEqual(['met', 'missed'])
    expect(verdicts({ atLeast: 0.85 }, [0.85, 0.84])).toEqual(['met', 'missed'])
    const within = verdicts({ from: 0.9, to: 1.1 }, [0.89, 0.9, 1.1, 1.11])
    expect(within).toEqual(['missed', 'met', 'met', 'missed'])
  })

  test('not measured without a number', () => {
    expect(judge({ ...row, goal: { atMost: 1 } }, undefined)).toBe('not measured')
    for (const value of [Number.NaN, Number.POSITIVE_INFINITY])
      expect(judge({ ...row, goal: { atMost: 1 } }, figure(value))).toBe('not measured')
  })

  test('goals of some sizes say nothing about others', () => {
    const sized: Row = { ...row, goals: { 50000: { atMost: 1 } } }
    expect(judge(sized, figure(2, { products: 50_000 }))).toBe('missed')
    expect(judge(sized, figure(2, { products: 5_000 }))).toBe('no goal')
    expect(judge(row, figure(2))).toBe('no goal')
  })
})

describe('the table of the benches', () => {
  test('has a line for each size, and keeps rows that were not measured', () => {
    const rows: Row[] = [
      { ...row, goals: { 50000: { atMost: 1.5 } } },
      { ...row, id: 'two', what: 'another', goal: { atMost: 3 }, unit: 'CPU ms' },
    ]
    const cpu = { main: 1.234, words: 0, pictures: 12.34 }
    const figures = [
      figure(1.234, { products: 50_000, cpu, note: 'as it is' }),
      figure(2, { products: 5_000 }),
    ]
    expect(linesOf(rows, figures)).toEqual([
      ['a thing, 5,000 products', 'its limit', '2.00', '', '', ''],
      [
        ...['a thing, 50,000 products', 'its limit', '1.23 (as it is)', 'main 1.23, pictures 12.3'],
        ...['≤ 1.5', 'met'],
      ],
      ['another', 'its limit', '', '', '≤ 3 CPU ms', 'not measured'],
    ])
  })

  test('a folded row shows all sizes in one line, and misses with one of them', () => {
    const folded: Row = { ...row, unit: 'CPU ms', goal: { atMost: 3 }, isFolded: true }
    const figures = [figure(4, { products: 50_000 }), figure(2, { products: 5_000 })]
    expect(linesOf([folded], figures)).toEqual([
      [
        'a thing, 5,000 / 50,000 products',
        'its limit',
        '2.00 CPU ms / 4.00 CPU ms',
        '',
        '≤ 3 CPU ms',
        'missed',
      ],
    ])
  })

  test('judges the last program and divides its figures by those of the others', () => {
    const figures = [figure(2), figure(4, { contestant: 'old' }), figure(9, { contestant: 'elder' })]
    const goal = { atMost: 3 }
    expect(linesOf([{ ...row, goal }], figures, ['old', 'older', 'new'])[0]?.slice(4)).toEqual([
      ...['≤ 3', 'met'],
      ...['0.50', ''],
    ])
  })

  test('numbers keep three digits that count', () => {
    const written = [381.4, 12.34, 1.234, 0.1234, 0.01234].map((value) => formatValue(value, 'ratio'))
    expect(written).toEqual(['381', '12.3', '1.23', '0.12', '0.012'])
    expect(formatValue(1.5, 'CPU ms')).toBe('1.50 CPU ms')
  })

  test('is written as Markdown', () => {
    const table = formatMarkdown([
      ['a|b', 'c'],
      ['1', '2'],
    ])
    expect(table).toBe('| a\\|b | c |\n| --- | --- |\n| 1 | 2 |')
  })
})

const NO_RESULTS: Results = {
  ...{ date: '2026-01-02', machine: '2 cores', contestants: ['new'], figures: [], runs: [] },
}

test('the file of results holds measured rows, names the others, and ends with the long runs', () => {
  const rows: Row[] = [row, { ...row, id: 'two', what: 'another' }, { ...row, id: 'three', what: 'a third' }]
  const results = { ...NO_RESULTS, figures: [figure(2)] }
  const page = composeResults(results, [{ rows }], '## A long run\n\nIts figures.\n')
  expect(page).toStartWith('# Results\n')
  expect(page).toContain('\n\nMeasured on 2026-01-02 on 2 cores: `new`.\n\n| What | Against |')
  expect(page).toContain('| a thing | its limit | 2.00 |')
  expect(page).not.toContain('| another |')
  expect(page).toContain('\n\nNot measured in this run: another; a third.\n\n## A long run\n\nIts figures.\n')
  expect(composeResults({ ...results }, [{ rows: [row] }], 'x')).not.toContain('Not measured')
})

test('the file of results says how long the benches took, how busy the machine was, and what failed', () => {
  const ran = { bench: 'one', seconds: 90, load: [0.4, 2.06] as const }
  const failed = { bench: 'two', seconds: 30, load: [2, 2] as const, failure: 'ended with 1' }
  const results = [ran, failed].reduce(mergeRun, { ...NO_RESULTS, figures: [figure(2)] })
  const page = composeResults(results, [{ rows: [row] }], 'x')
  expect(page).toContain(
    'It took 2 minutes. Load average at the beginning and the end of each bench: one 0.4–2.1, two 2.0–2.0.',
  )
  expect(page).toContain('\n\nFailed, and the figures may be missing: two (ended with 1).\n\n')
  const again = mergeRun(results, { ...ran, bench: 'two' })
  expect(again.runs.map(({ bench, failure }) => [bench, failure])).toEqual([
    ['one', undefined],
    ['two', undefined],
  ])
  expect(composeResults(again, [{ rows: [row] }], 'x')).not.toContain('Failed')
})

test('a row is measured once the judged program has a number for it', () => {
  const rows = [row, { ...row, id: 'two' }, { ...row, id: 'three' }]
  const figures = [
    figure(1),
    figure(Number.NaN, { row: 'two' }),
    figure(1, { row: 'three', contestant: 'old' }),
  ]
  const missing = listMissing({ ...NO_RESULTS, contestants: ['old', 'new'], figures }, [{ rows }])
  expect(missing.map(({ id }) => id)).toEqual(['two', 'three'])
})

test('a figure is told in one line as it arrives', () => {
  const rows = [{ ...row, goal: { atMost: 1 } }]
  expect(describeFigure({ rows }, figure(2, { products: 5_000, note: 'so' }))).toBe(
    'a thing, 5,000 products · 2.00 (so) · missed · new',
  )
})

test('the long runs stand in the file of results as they are', async () => {
  const folder = join(import.meta.dir, '../../scripts/bench')
  const [page, longRuns] = await Promise.all(
    ['results.md', 'long-runs.md'].map((name) => Bun.file(join(folder, name)).text()),
  )
  expect(page).toEndWith(longRuns as string)
})

test('every row has an id of its own, and every bench is a script of its name', async () => {
  const ids = BENCHES.flatMap(({ rows }) => rows.map(({ id }) => id))
  expect(new Set(ids).size).toBe(ids.length)
  for (const { name } of BENCHES)
    expect(await Bun.file(join(import.meta.dir, `../../scripts/bench/${name}.ts`)).exists()).toBe(true)
})

test('a figure takes the place of an earlier one of the same row, program and size', () => {
  const none: Results = { ...NO_RESULTS, contestants: ['old', 'new'] }
  const given = [figure(1), figure(2, { products: 5 }), figure(3, { contestant: 'old' }), figure(4)]
  expect(given.reduce(mergeFigure, none).figures.map(({ value }) => value)).toEqual([2, 3, 4])
  expect(describeRun(none)).toBe('Measured on 2026-01-02 on 2 cores: `new`.')
})

describe('the flags of a bench', () => {
  const executable = process.execPath

  test('sizes ascend, and the last executable is judged', () => {
    const options = readOptions(
      ['--products', '50,5', '--executable', executable, '--executable', executable, '--own', 'x'],
      ['own'],
    )
    expect(options.products).toEqual([5, 50])
    expect(options.contestants.map(({ name }) => name)).toEqual([executable, `${executable} (2)`])
    expect(options.own).toEqual({ own: 'x' })
    expect(readOptions([]).contestants).toEqual([{ name: 'sources', executable: undefined }])
    expect(readOptions(['--row-seconds', '9']).rowSeconds).toBe(9)
    expect([['--full'], []].map((argv) => readOptions(argv).rowSeconds)).toEqual([4, 2])
    expect(readOptions(['--full']).products).toEqual([5_000, 50_000, 200_000, 1_000_000])
  })

  test('mistakes are refused', () => {
    expect(() => readOptions(['--product', '5'])).toThrow()
    expect(() => readOptions(['--products', '5,x'])).toThrow('takes numbers from 1')
    expect(() => readOptions(['--rounds', '0'])).toThrow('takes numbers from 1')
    expect(() => readOptions(['--executable', '/none'])).toThrow('There is no executable /none')
  })
})

describe('a seeded store', () => {
  const seed = (count: number, options: Parameters<typeof seedStore>[3] = {}) => {
    const folder = mkdtempSync(join(tmpdir(), 'lookalike-seed-'))
    try {
      const { client_id } = seedStore(folder, MODEL_DIR, count, options)
      expect(() => seedStore(folder, MODEL_DIR, count)).toThrow('exists already')
      // Migrates it.
      const db = openDatabase(folder)
      const vectors = createVectorTable(db, 'vectors_1', 512)
      const read = new Map<number, Float32Array>()
      vectors.each((rowid, vector) => read.set(rowid, vector.slice()))
      const check = db.pragma('integrity_check', { simple: true })
      const counts = db.prepare('SELECT product_count FROM stores').pluck().all()
      const wrong = db.pragma('foreign_key_check')
      const nearest = vectors.nearest(client_id, read.get(1) as Float32Array, 2)
      // The last chunk is partly filled, and sqlite-vec goes on in it.
      vectors.put(client_id, count + 1, read.get(1) as Float32Array)
      vectors.remove(1)
      const moved = vectors.nearest(client_id, read.get(1) as Float32Array, 1)
      const chunks = db.prepare('SELECT count(*) FROM vectors_1_chunks').pluck().get()
      db.close()
      return { read, check, counts, wrong, nearest, moved, chunks }
    } finally {
      rmSync(folder, { recursive: true, force: true })
    }
  }

  test('is whole, and sqlite-vec reads and continues its chunks', () => {
    const { read, check, counts, wrong, nearest, moved, chunks } = seed(70)
    expect([...read.keys()]).toEqual(Array.from({ length: 70 }, (_, n) => n + 1))
    expect([check, counts, wrong, chunks]).toEqual(['ok', [70], [], 2])
    expect(nearest[0]?.rowid).toBe(1)
    expect(nearest[0]?.score).toBeCloseTo(1, 5)
    expect(moved[0]?.rowid).toBe(71)
  })

  test('may be divided among stores', () => {
    const { check, counts } = seed(10, { stores: 5, isThroughVec0: true })
    expect([check, counts]).toEqual(['ok', [2, 2, 2, 2, 2]])
  })

  test('may hold kinds of near duplicates', () => {
    const [a, b, c, d] = [...generateVectors(4, 2)] as [
      Float32Array,
      Float32Array,
      Float32Array,
      Float32Array,
    ]
    for (const vector of [a, b, c, d]) expect(dot(vector, vector)).toBeCloseTo(1, 5)
    for (const cosine of [dot(a, c), dot(b, d)]) expect(cosine).toBeGreaterThan(0.9)
    for (const cosine of [dot(a, b), dot(c, d)]) expect(cosine).toBeLessThan(0.3)
    expect([...generateVectors(4, 2)][3]).toEqual(d)
  })
})
