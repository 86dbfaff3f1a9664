/**
 * A node that has nothing but the lease: it claims, watches, takes over and acknowledges as the program does, and writes each acknowledgement
 * to the end of a file that all nodes of a round share.
 *
 *     bun scripts/scale/parts/lease-node.ts <data folder> <s3://bucket/prefix> <file> <name> <first|standby>
 *
 * The settings of the bucket come from the environment. It ends with 75 when it has lost its lease.
 */
import { closeSync, openSync, writeSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { pino } from 'pino'
import { openNodeLease } from '../../../src/commands/standby/node-lease.ts'
import { parseCidrs } from '../../../src/core/networks.ts'
import { openCopyPlace } from '../../../src/platform/litestream/place.ts'
import type { Ack } from './lease-history.ts'

const [dataDir = '', address = '', file = '', name = '', kind = ''] = process.argv.slice(2)
/** As `commands/standby/waiting.ts` has them. */
const LOOK_MS = 1_000
const PAUSE_MS = 10_000
/** A copy is restored before the lease is taken. */
const RESTORE_MS = 700
const ACK_MS = 50
const LOST_CODE = 75

const place = openCopyPlace(
  address,
  {
    S3_ENDPOINT: process.env['S3_ENDPOINT'] ?? '',
    S3_REGION: process.env['S3_REGION'] ?? '',
    S3_ACCESS_KEY_ID: process.env['S3_ACCESS_KEY_ID'] ?? '',
    S3_SECRET_ACCESS_KEY: process.env['S3_SECRET_ACCESS_KEY'] ?? '',
    OFFLINE: false,
  },
  parseCidrs('127.0.0.0/8'),
  new AbortController().signal,
)
const lease = await openNodeLease(place, { dataDir, log: pino({ level: 'silent' }) })
if (!(await lease.claim(kind === 'first')).isOwner) await waitForTurn()
lease.onLost(() => process.exit(LOST_CODE))
lease.start()
const owner = await Bun.file(`${dataDir}/node-name`).text()
const log = openSync(file, 'a')
process.once('exit', () => closeSync(log))
for (;;) {
  const at = Date.now()
  if (lease.mayAcknowledge()) {
    const ack: Ack = { at, until: Date.now(), process: name, owner, epoch: lease.epoch }
    // One call of the system: a kill leaves no half of a line.
    writeSync(log, `${JSON.stringify(ack)}\n`)
  }
  await sleep(ACK_MS)
}

async function waitForTurn(): Promise<void> {
  let takeOverAt = Number.NEGATIVE_INFINITY
  for (;;) {
    try {
      const { isThere, isStill } = await lease.watch()
      if (isThere && isStill && performance.now() >= takeOverAt) {
        await sleep(RESTORE_MS)
        if (await lease.takeOver()) return
      }
    } catch {
      takeOverAt = performance.now() + PAUSE_MS
    }
    await sleep(LOOK_MS)
  }
}
