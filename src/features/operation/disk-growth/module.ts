import { DAY_MS, HOUR_MS } from '../../../core/clock.ts'
import type { Base, Module } from '../../module.ts'
import { diskGrowthQueries } from './queries.ts'

export interface DiskGrowthNeeds {
  /** Free share of the data folder's disk, 0 to 1. */
  readFreeDiskShare(): Promise<number>
}

/** Days that count: a change of a month ago says little about the next one. */
const DAYS_KEPT = 30

/**
 * Wires what remembers how the disk fills. The doctor reads the samples, with or without a running service, and tells
 * when the disk will be full.
 */
export function buildDiskGrowth(base: Base, { readFreeDiskShare }: DiskGrowthNeeds) {
  const { db, clock, withoutFsync, atomically } = base
  const queries = diskGrowthQueries(db)
  let lastDay: number | undefined

  async function sample(): Promise<void> {
    const day = Math.floor(clock.now() / DAY_MS)
    if (day === lastDay) return
    const share = await readFreeDiskShare()
    withoutFsync(() =>
      atomically(() => {
        queries.write(day, share)
        queries.forgetBefore(day - DAYS_KEPT)
      }),
    )
    lastDay = day
  }

  return {
    service: {},
    chores: [{ name: 'remembering how full the disk is', everyMs: HOUR_MS, reach: 'none', run: sample }],
  } satisfies Module<object>
}
