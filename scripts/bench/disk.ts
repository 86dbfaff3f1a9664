/**
 * Measures the bytes that products and vectors take on the disk:
 *
 *     bun scripts/bench/disk.ts [--executable old/lookalike --executable dist/lookalike]
 *
 * * one store, against its vectors as plain float32;
 * * 1,000 stores of 50 products, whose products arrived in turns, against theirs;
 * * the executable itself.
 *
 * The vectors of the small stores are written one by one through sqlite-vec, as the service does; then the contestant migrates and
 * starts. The figure is the whole database.
 */
import { statSync } from 'node:fs'
import { join } from 'node:path'
import { DATABASE_FILE } from '../../src/platform/db/open.ts'
import type { Bench } from './parts/bench.ts'
import type { Contestant } from './parts/options.ts'
import { runAlone } from './parts/run.ts'
import type { SeedOptions } from './parts/seed.ts'
import { EACH, MANY_STORES, openStock } from './parts/stock.ts'
import { DIMENSION } from './parts/vectors.ts'

const { stores: STORES } = MANY_STORES

export const disk: Bench = {
  name: 'disk',
  rows: [
    {
      id: 'disk-store',
      what: 'the database of one store',
      against: 'its vectors as float32',
      unit: 'ratio',
      isFolded: true,
      goals: { 50000: { atMost: 1.5 }, 200000: { atMost: 1.5 }, 1000000: { atMost: 1.5 } },
    },
    {
      id: 'disk-stores',
      what: `the database of ${STORES.toLocaleString('en-US')} stores of ${EACH} products`,
      against: 'their vectors as float32',
      unit: 'ratio',
      goal: { atMost: 2.2 },
    },
    { id: 'disk-executable', what: 'the executable', against: '', unit: 'MB', goal: { atMost: 170 } },
  ],
  minutes: { quick: 0.5, full: 1 },
  async run(options, report) {
    using stock = openStock(options)
    const weigh = async (contestant: Contestant, products: number, seed: SeedOptions = {}) => {
      const { folder } = await stock.fill(contestant, products, seed)
      // It has stopped, so the write-ahead log is empty.
      const { size } = statSync(join(folder, DATABASE_FILE))
      const raw = products * DIMENSION * Float32Array.BYTES_PER_ELEMENT
      return { value: size / raw, note: `${(size / 1e6).toFixed(0)} to ${(raw / 1e6).toFixed(0)} MB` }
    }
    for (const contestant of options.contestants) {
      const { name, executable } = contestant
      for (const products of options.products) {
        report({ row: 'disk-store', contestant: name, products, ...(await weigh(contestant, products)) })
      }
      const many = await weigh(contestant, STORES * EACH, MANY_STORES)
      report({ row: 'disk-stores', contestant: name, ...many })
      if (executable !== undefined)
        report({ row: 'disk-executable', contestant: name, value: statSync(executable).size / 1e6 })
    }
  },
}

if (import.meta.main) await runAlone(disk)
