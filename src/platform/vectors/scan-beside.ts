import { turn } from '../../core/turns.ts'
import type { Segment } from './arena.ts'
import type { ScanQueue } from './scan-queue.ts'
import type { ScanPart, ScanThreads } from './scan-threads.ts'
import type { Scanner } from './scanner.ts'
import { makeScores, takeScores } from './score-buffers.ts'
import { BLOCK_SLOTS, type BlockScores, SCAN_QUERIES_MAX } from './workspace.ts'

/*
 * Scans beside the event loop: by the threads, or in slices of one turn each where there are none or one of them failed. A thread
 * that failed may still write, so its scores are left to it and others are made.
 */

/** Shared by all segments of an arena. */
export interface Scanning {
  scanner: Scanner
  /** Undefined to scan large stores in slices on the event loop. */
  pool: ScanThreads | undefined
  queue: ScanQueue
  largeSlots: number
}

/** Blocks scored in one turn of the event loop, where there are no threads: 2 ms for one query. */
const SLICE_BLOCKS = 1_024

/** Single slots scored in one turn of the event loop, where there are no threads: 2 ms. */
const SLICE_SLOTS = 4_096

/** Blocks that a store may grow by during a scan before its scores must be copied. */
const SPARE_BLOCKS = 16

/** Scores whole blocks. @param queries at most {@link SCAN_QUERIES_MAX}. */
export async function scanBlocksBeside(
  { scanner, pool }: Scanning,
  queries: readonly Float32Array[],
  blocks: Float64Array,
  parts: readonly ScanPart[],
): Promise<BlockScores[]> {
  const room = blocks.length + SPARE_BLOCKS
  const shared = queries.map(() => takeScores(room))
  if (await pool?.scan({ queries, blocks, parts, into: shared })) return shared
  const into = queries.map(() => makeScores(room, ArrayBuffer))
  const slice = Math.floor(SLICE_BLOCKS / queries.length)
  for (const { from, to, mean } of parts) {
    for (let start = from; start < to; start += slice) {
      await turn()
      scanner.scanBlocks(queries, mean, blocks, start, Math.min(to, start + slice), into)
    }
  }
  return into
}

/** Scores single places; the result has room for whole blocks of them. */
export async function scanPlacesBeside(
  { scanner, pool }: Scanning,
  query: Float32Array,
  places: Float64Array,
): Promise<BlockScores> {
  const blocks = Math.ceil(places.length / BLOCK_SLOTS)
  const shared = takeScores(blocks)
  const scores = shared.scores.subarray(0, places.length)
  if (await pool?.scan({ query, places, into: scores })) return shared
  const into = makeScores(blocks, ArrayBuffer)
  for (let start = 0; start < places.length; start += SLICE_SLOTS) {
    await turn()
    const part = places.subarray(start, start + SLICE_SLOTS)
    into.scores.set(
      scanner.scanPlaces(query, part.length, (n) => part[n] as number),
      start,
    )
  }
  return into
}

/** Brings scores of single slots to the present: those of slots that changed during the scan. */
export function scoreSlotsAgain(
  segment: Pick<Segment, 'slots' | 'scanSlots'>,
  queries: readonly Float32Array[],
  slots: Uint32Array,
  changed: ReadonlySet<number>,
  scores: readonly Float32Array[],
): void {
  if (changed.size === 0) return
  const again: number[] = []
  for (let n = 0; n < slots.length; n++) {
    const slot = slots[n] as number
    if (slot >= segment.slots) for (const some of scores) some[n] = -Infinity
    else if (changed.has(slot)) again.push(n)
  }
  for (const [q, query] of queries.entries()) {
    const present = segment.scanSlots(
      query,
      again.map((n) => slots[n] as number),
    )
    for (const [i, n] of again.entries()) (scores[q] as Float32Array)[n] = present[i] as number
  }
}

/** Cuts queries into those of one scan each, by their numbers from and to. */
export const cutQueries = ({ length }: readonly Float32Array[]): [from: number, to: number][] =>
  Array.from({ length: Math.ceil(length / SCAN_QUERIES_MAX) }, (_, n) => [
    n * SCAN_QUERIES_MAX,
    Math.min(length, (n + 1) * SCAN_QUERIES_MAX),
  ])
