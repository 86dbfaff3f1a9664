import { BINS } from '../../../../core/durations.ts'
import type { Days } from '../day-queries.ts'
import { openBlock } from './column-block.ts'
import type { ItemQueries } from './item-queries.ts'
import { DURATIONS, type Kind, MEASURES, type Measure } from './kinds.ts'
import { readItems, type Walk } from './walk.ts'

/** Sums over a period, by the number of the item. They are computed modulo 2³², which no real count reaches. */
export type Sums<M extends string> = Record<M, Uint32Array>

/** Says what an item scores: each of its counts, times the weight of the measure, times the weight of the day. */
export interface Scoring<M extends string> {
  weights: Readonly<Record<M, number>>
  weighDay(day: number): number
}

/** A measure that is added up. */
interface Target {
  /** The place of the measure among those of its kind. */
  column: number
  sums: Uint32Array
  /** The score of one count; 0 without scores. */
  weight: number
}

export interface SumDeps {
  items: Pick<ItemQueries, 'countNumbers'>
  walk: Walk
}

/** Adds up the counters of a period. */
export function createSums({ items, walk }: SumDeps) {
  async function addUp<K extends Kind>(
    days: Days,
    kind: K,
    measures: readonly Measure<K>[],
    scoring?: Scoring<Measure<K>>,
  ) {
    const size = items.countNumbers(days.storeId, kind)
    const names: readonly Measure<K>[] = MEASURES[kind]
    const targets = measures.map((measure) => ({
      measure,
      column: names.indexOf(measure),
      sums: new Uint32Array(size),
      weight: scoring?.weights[measure] ?? 0,
    }))
    const scores = new Float64Array(scoring ? size : 0)
    await walk(days, kind, {
      visitBlock: (block, day) => addBlock(block, size, targets, scores, scoring?.weighDay(day) ?? 0),
      visitRow(row, day) {
        const [item] = row
        // A number that was given after the start belongs to no sum yet.
        if (item >= size) return
        let score = 0
        for (const { column, sums, weight } of targets) {
          const count = row[1 + column] as number
          sums[item] = (sums[item] as number) + count
          score += count * weight
        }
        if (scoring) scores[item] = (scores[item] as number) + score * scoring.weighDay(day)
      },
    })
    const sums = Object.fromEntries(targets.map((target) => [target.measure, target.sums])) as Sums<
      Measure<K>
    >
    return { sums, scores }
  }

  return {
    /** Sums of some measures of queries or of products. */
    async sum<K extends Kind, M extends Measure<K>>(
      days: Days,
      kind: K,
      measures: readonly M[],
    ): Promise<Sums<M>> {
      return (await addUp(days, kind, measures)).sums
    },

    /** Sums of the measures that score, and the scores of the items. */
    score: <K extends Kind, M extends Measure<K>>(
      days: Days,
      kind: K,
      measures: readonly M[],
      scoring: Scoring<M>,
    ): Promise<{ sums: Sums<M>; scores: Float64Array }> =>
      addUp(days, kind, measures, scoring as Scoring<Measure<K>>),

    /** Searches by the bin of their duration. */
    async sumDurations(days: Days): Promise<Float64Array> {
      const bins = new Float64Array(BINS)
      const add = (bin: number, searches: number) => {
        if (bin < BINS) bins[bin] = (bins[bin] as number) + searches
      }
      await walk(days, DURATIONS, {
        visitBlock: (block) => readItems(block, add),
        visitRow: ([bin, searches]) => add(bin, searches),
      })
      return bins
    },
  }
}

/** Adds a block, a column at a time: this is most of the work of a year. */
function addBlock(
  block: Buffer,
  size: number,
  targets: readonly Target[],
  scores: Float64Array,
  dayWeight: number,
): void {
  const { length, distances, measures } = openBlock(block)
  const items = toIntegers(distances, length)
  for (let n = 1; n < length; n++) items[n] = (items[n] as number) + (items[n - 1] as number)
  // Items ascend.
  let end = length
  while (end > 0 && (items[end - 1] as number) >= size) end--
  for (const { column, sums, weight } of targets) {
    const numbers = measures[column]
    if (!numbers) continue
    const counts = toIntegers(numbers, length)
    addColumn(sums, items, counts, end)
    if (weight !== 0) addScores(scores, items, counts, end, weight * dayWeight)
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
