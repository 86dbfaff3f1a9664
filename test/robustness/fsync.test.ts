import { afterAll, beforeAll, expect, test } from 'bun:test'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { recordBar } from './bars.ts'
import { readRepetitions } from './random.ts'
import { type Install, newInstall, productForm, type Service, startService, until } from './service.ts'

const WRITES = readRepetitions('FSYNC_WRITES', 60)
const WRITERS = 4

const isPossible =
  process.platform === 'linux' &&
  Bun.spawnSync(['sh', '-c', 'strace -o /dev/null true'], { stderr: 'ignore' }).success
const reason = isPossible ? '' : ' (skipped: strace does not work here)'

let install: Install
let service: Service
const folder = mkdtempSync(join(tmpdir(), 'lookalike-fsync-'))
const trace = join(folder, 'calls')

beforeAll(async () => {
  if (!isPossible) return
  install = await newInstall()
  // Without -f only the thread is followed that runs the loop: it commits, and it answers.
  const calls = 'pwrite64,pwritev,write,writev,send,sendto,sendmsg,fsync,fdatasync'
  const wrap = ['strace', '-D', '-yy', '-s', '160', '-e', `trace=${calls}`, '-e', 'signal=none', '-o', trace]
  service = await startService(install, { wrap })
}, 120_000)
afterAll(async () => {
  if (isPossible) {
    await service?.crash()
    install.remove()
  }
  rmSync(folder, { recursive: true, force: true })
})

interface Acknowledgement {
  requestId: string
  /** Whether all that was written to the log had been synced when the answer left. */
  isSynced: boolean
  /** Commits, each synced, since the answer before. */
  syncs: number
}

/** Reads the calls in their order: what was written and synced when each answer to a write left. */
function acknowledgements(calls: string): Acknowledgement[] {
  const found: Acknowledgement[] = []
  let isDirty = false
  let syncs = 0
  for (const call of calls.split('\n')) {
    const isLog = /lookalike\.db-wal>/.test(call)
    if (isLog && /^(pwrite|write)/.test(call)) isDirty = true
    else if (isLog && /^f(data)?sync\(.*= 0$/.test(call)) {
      isDirty = false
      syncs++
    }
    const requestId = /^(?:send|write).*HTTP\/1\.1 20[01].*x-request-id: (write-\d+)/i.exec(call)?.[1]
    if (requestId === undefined) continue
    found.push({ requestId, isSynced: !isDirty, syncs })
    syncs = 0
  }
  return found
}

test.skipIf(!isPossible)(
  `no acknowledgement of ${WRITES} writes leaves before its commit is on the disk${reason}`,
  async () => {
    let sent = 0
    const writer = async () => {
      for (let n = ++sent; n <= WRITES; n = ++sent) {
        const isDeletion = n % 5 === 0
        const headers = { authorization: `Bearer ${install.token}`, 'x-request-id': `write-${n}` }
        const answer = isDeletion
          ? await fetch(`${service.address}/v1/products/p${n - WRITERS * 2}`, { method: 'DELETE', headers })
          : await fetch(`${service.address}/v1/products`, {
              ...{ method: 'POST', headers },
              body: await productForm(`p${n}`, n),
            })
        expect(answer.status).toBeLessThan(isDeletion ? 405 : 202)
      }
    }
    await Promise.all(Array.from({ length: WRITERS }, writer))
    const count = () => acknowledgements(readFileSync(trace, 'utf8')).length
    const expected = () => WRITES - Math.floor(WRITES / 5)
    await until('all answers are in the trace', () => count() >= expected())
    const all = acknowledgements(readFileSync(trace, 'utf8'))
    const early = all.filter(({ isSynced }) => !isSynced).map(({ requestId }) => requestId)
    const syncs = all.reduce((sum, each) => sum + each.syncs, 0)
    const measured = `${early.length} left early, ${syncs} syncs of the log for them`
    const isMet = early.length === 0 && syncs >= all.length
    recordBar({ bar: 4, part: 'acknowledgements', on: 'program', n: all.length, measured, isMet })
    expect(early).toEqual([])
    expect(syncs).toBeGreaterThanOrEqual(all.length)
    expect(all.length).toBeGreaterThanOrEqual(expected())
  },
  600_000,
)
