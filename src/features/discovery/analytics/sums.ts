import type { Clock } from '../../../core/clock.ts'
import { estimateDistinct, placeHash, REGISTERS as REGISTER_COUNT } from '../../../core/distinct.ts'
import { BINS } from '../../../core/durations.ts'
import { turn } from '../../../core/turns.ts'
import type { Days } from './day-queries.ts'
import { openBlock } from './column-block.ts'
import { DURATIONS, type Kind, REGISTERS, SESSIONS, type CounterQueries } from './counter-queries.ts'

/** Sums over a period, by the number of the item. They are computed modulo 2³², which no real count reaches. */
export interface Sums {
  a: Uint32Array
  b: Uint32Array
  c: Uint32Array
  d: Uint32Array
  /** Sums of b, c and d by the weights of measures and days; empty unless asked for. */
  scores: Float64Array
}

const MEASURES = ['a', 'b', 'c', 'd'] as const
export type Measure = (typeof MEASURES)[number]

export interface Scoring {
  b: number
  c: number
  d: number
  /** The weight of a day. */
  ofDay(day: number): number
}

/** Rows read at a time, and how long one step may hold the event loop. */
const ROWS_AT_ONCE = 2_000
const STEP_MS = 8

/** Hashes that are held apart; beyond them the number is estimated. */
const HASHES_MAX = 20_000

export interface SumDeps {
  counters: CounterQueries
  clock: Pick<Clock, 'monotonic'>
}

export type Summing = ReturnType<typeof createSumming>

/** Adds up the counters of a period, in steps. The days before yesterday lie in column blocks, which are read in one go each. */
export function createSumming({ counters, clock }: SumDeps) {
  /** Hands the counts of each part of a period to a function. */
  async function walk(
    { storeId, from, to }: Days,
    kind: Kind,
    readBlock: (block: Buffer, day: number) => void,
    readRow: (day: number, item: number, a: number, b: number, c: number, d: number) => void,
  ): Promise<void> {
    let begin = clock.monotonic()
    const breathe = async () => {
      if (clock.monotonic() - begin < STEP_MS) return
      await turn()
      begin = clock.monotonic()
    }
    for (const day of counters.listPackedDays(storeId, kind, from, to)) {
      const block = counters.findBlock({ storeId, kind, day })
      if (block) readBlock(block, day)
      await breathe()
    }
    for (const day of counters.listOpenDays(storeId, kind, from, to)) {
      for (let after = -1; ; ) {
        const rows = counters.listRows({ storeId, kind, day }, after, ROWS_AT_ONCE)
        for (const [item, a, b, c, d] of rows) readRow(day, item, a, b, c, d)
        if (rows.length < ROWS_AT_ONCE) break
        after = rows.at(-1)?.[0] as number
        await breathe()
      }
      await breathe()
    }
  }

  return {
    /** Sums of queries or of products. @param wanted of the others the sums are wrong. */
    async sum(days: Days, kind: Kind, wanted: readonly Measure[], scoring?: Scoring): Promise<Sums> {
      const size = counters.countNumbers(days.storeId, kind)
      const sums = newSums(size, scoring !== undefined)
      await walk(
        days,
        kind,
        (block, day) => addBlock(sums, block, wanted, scoring, scoring?.ofDay(day) ?? 0),
        (day, item, a, b, c, d) => {
          // A number that was given after the start belongs to no sum yet.
          if (item >= size) return
          sums.a[item] = (sums.a[item] as number) + a
          sums.b[item] = (sums.b[item] as number) + b
          sums.c[item] = (sums.c[item] as number) + c
          sums.d[item] = (sums.d[item] as number) + d
          if (!scoring) return
          const score = b * scoring.b + c * scoring.c + d * scoring.d
          sums.scores[item] = (sums.scores[item] as number) + score * scoring.ofDay(day)
        },
      )
      return sums
    },

    /** Distinct sessions of a period: exact up to 20,000, then an estimate. */
    async countSessions(days: Days): Promise<number> {
      const registers = new Uint8Array(REGISTER_COUNT)
      const raise = (register: number, rank: number) => {
        if ((registers[register] as number) < rank) registers[register] = rank
      }
      const place = (hash: number) => {
        const { register, rank } = placeHash(hash)
        raise(register, rank)
      }
      let hashes: Set<number> | undefined = new Set()
      const see = (hash: number) => {
        if (!hashes) return place(hash)
        hashes.add(hash)
        if (hashes.size > HASHES_MAX) spill()
      }
      const spill = () => {
        for (const hash of hashes ?? []) place(hash)
        hashes = undefined
      }
      await walk(
        days,
        SESSIONS,
        (block) => readItems(block, see),
        (_day, hash) => see(hash),
      )
      await walk(
        days,
        REGISTERS,
        (block) => {
          spill()
          readItems(block, raise)
        },
        (_day, register, rank) => {
          spill()
          raise(register, rank)
        },
      )
      return hashes ? hashes.size : Math.round(estimateDistinct(registers))
    },

    /** Searches by the bin of their duration. */
    async sumDurations(days: Days): Promise<Float64Array> {
      const bins = new Float64Array(BINS)
      const add = (bin: number, searches: number) => {
        if (bin < BINS) bins[bin] = (bins[bin] as number) + searches
      }
      await walk(
        days,
        DURATIONS,
        (block) => readItems(block, add),
        (_day, bin, searches) => add(bin, searches),
      )
      return bins
    },
  }
}

const newSums = (size: number, isScored: boolean): Sums => ({
  a: new Uint32Array(size),
  b: new Uint32Array(size),
  c: new Uint32Array(size),
  d: new Uint32Array(size),
  scores: new Float64Array(isScored ? size : 0),
})

/** Hands each item of a block to a function, with its first count. */
function readItems(block: Buffer, read: (item: number, a: number) => void): void {
  const { length, distances, measures } = openBlock(block)
  const [counts] = measures
  let item = 0
  for (let n = 0; n < length; n++) {
    item += distances?.[n] ?? 0
    read(item, counts?.[n] ?? 0)
  }
}

/** Adds a block, a column at a time: this is most of the work of a year. */
function addBlock(
  sums: Sums,
  block: Buffer,
  wanted: readonly Measure[],
  scoring: Scoring | undefined,
  weight: number,
): void {
  const { length, distances, measures } = openBlock(block)
  const size = sums.a.length
  const items = toIntegers(distances, length)
  for (let n = 1; n < length; n++) items[n] = (items[n] as number) + (items[n - 1] as number)
  // Items ascend.
  let end = length
  while (end > 0 && (items[end - 1] as number) >= size) end--
  for (const [measure, name] of MEASURES.entries()) {
    const column = measures[measure]
    if (!column || !wanted.includes(name)) continue
    const counts = toIntegers(column, length)
    addColumn(sums[name], items, counts, end)
    if (scoring && name !== 'a') addScores(sums.scores, items, counts, end, scoring[name] * weight)
  }
}

/** Copies a column. Loops over arrays of one type take a third of the time of loops over several. */
const toIntegers = (column: ArrayLike<number> | undefined, length: number): Uint32Array =>
  column === undefined ? new Uint32Array(length) : new Uint32Array(column)

function addColumn(target: Uint32Array, items: Uint32Array, counts: Uint32Array, end: number): void {
  for (let n = 0; n < end; n++) {
    const at = items[n] as number
    target[at] = (target[at] as number) + (counts[n] as number)
  }
}

function addScores(
  target: Float64Array,
  items: Uint32Array,
  counts: Uint32Array,
  end: number,
  factor: number,
): void {
  for (let n = 0; n < end; n++) {
    const count = counts[n] as number
    if (count === 0) continue
    const at = items[n] as number
    target[at] = (target[at] as number) + count * factor
  }
}
