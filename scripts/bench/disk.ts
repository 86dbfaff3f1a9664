/**
 * Measures the bytes that products and vectors take on the disk:
 *
 *     bun scripts/bench/disk.ts [--executable old/lookalike --executable dist/lookalike]
 *
 * * 1,000 stores of 50 products, whose products arrived in turns, against their vectors as plain float32;
 * * the executable itself.
 *
 * The vectors are written one by one through sqlite-vec, as the service does; then the contestant migrates and starts. The
 * figure is the whole database.
 */
import { statSync } from 'node:fs'
import { join } from 'node:path'
import { DATABASE_FILE } from '../../src/platform/db/open.ts'
import type { Bench } from './parts/bench.ts'
import { runAlone } from './parts/run.ts'
import { openStock } from './parts/stock.ts'
import { DIMENSION } from './parts/vectors.ts'

const STORES = 1_000
const EACH = 50

export const disk: Bench = {
  name: 'disk',
  rows: [
    {
      id: 'disk-stores',
      what: `the database of ${STORES.toLocaleString('en-US')} stores of ${EACH} products`,
      against: 'their vectors as float32',
      unit: 'ratio',
      goal: { atMost: 3 },
    },
    { id: 'disk-executable', what: 'the executable', against: '', unit: 'MB', goal: { atMost: 230 } },
  ],
  async run(options, report) {
    using stock = openStock(options)
    const raw = STORES * EACH * DIMENSION * Float32Array.BYTES_PER_ELEMENT
    for (const contestant of options.contestants) {
      const { name, executable } = contestant
      const { folder } = await stock.fill(contestant, STORES * EACH, { stores: STORES, isThroughVec0: true })
      // It has stopped, so the write-ahead log is empty.
      const { size } = statSync(join(folder, DATABASE_FILE))
      report({
        ...{ row: 'disk-stores', contestant: name, value: size / raw },
        note: `${(size / 1e6).toFixed(0)} to ${(raw / 1e6).toFixed(0)} MB`,
      })
      if (executable !== undefined)
        report({ row: 'disk-executable', contestant: name, value: statSync(executable).size / 1e6 })
    }
  },
}

if (import.meta.main) await runAlone(disk)
