import { afterAll, beforeAll, expect, test } from 'bun:test'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { recordBar } from './bars.ts'
import { readRepetitions } from './random.ts'
import { type Install, newInstall, productForm, type Service, startService, until } from './service.ts'

const WRITES = readRepetitions('FSYNC_WRITES', 60)
const WRITERS = 4
const GROUP = 24

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
  const calls = 'pwrite64,pwritev,write,writev,send,sendto,sendmsg,recv,recvfrom,recvmsg,read,fsync,fdatasync'
  const wrap = ['strace', '-D', '-yy', '-s', '512', '-e', `trace=${calls}`, '-e', 'signal=none', '-o', trace]
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
  /** Whether something was written to the log after the request had come, and synced before the answer left. */
  isCommitted: boolean
}

/** The calls in their order, told by what they are about. */
interface Calls {
  acknowledgements: Acknowledgement[]
  /** Commits that waited for the disk. */
  syncs: number
}

/** Reads what was received, written and synced when each answer to a write left. */
function readCalls(calls: string): Calls {
  const acknowledgements: Acknowledgement[] = []
  /** When each request came, and when the log was last written and synced, by the number of the call. */
  const came = new Map<string, number>()
  let written = -1
  let synced = -1
  /** The last write to the log that a sync has brought to the disk. */
  let safe = -1
  let syncs = 0
  for (const [at, call] of calls.split('\n').entries()) {
    const isLog = /lookalike\.db-wal>/.test(call)
    if (isLog && /^(pwrite|write)/.test(call)) written = at
    else if (isLog && /^f(data)?sync\(.*= 0$/.test(call)) {
      if (written > synced) syncs++
      synced = at
      safe = written
    }
    const request = /^(?:recv|read).*x-request-id: (write-\d+)/i.exec(call)?.[1]
    if (request !== undefined && !came.has(request)) came.set(request, at)
    const requestId = /^(?:send|write).*HTTP\/1\.1 20[01].*x-request-id: (write-\d+)/i.exec(call)?.[1]
    if (requestId === undefined) continue
    const isCommitted = safe > (came.get(requestId) ?? Number.POSITIVE_INFINITY)
    acknowledgements.push({ requestId, isSynced: safe === written, isCommitted })
  }
  return { acknowledgements, syncs }
}

test.skipIf(!isPossible)(
  `changes that are ready together wait for the disk together, and no acknowledgement leaves before${reason}`,
  async () => {
    const headers = { authorization: `Bearer ${install.token}` }
    const put = async (id: string, requestId: string, price: number) => {
      const body = await productForm(id, 1, { price })
      const all = { ...headers, 'x-request-id': requestId }
      return (await fetch(`${service.address}/v1/products`, { method: 'POST', headers: all, body })).status
    }
    // Their picture is known, so nothing keeps them apart.
    expect(await put('group-0', 'write-100000', 0)).toBe(201)
    const before = readCalls(readFileSync(trace, 'utf8')).syncs
    const numbers = Array.from({ length: GROUP }, (_, n) => n + 1)
    const statuses = await Promise.all(numbers.map((n) => put(`group-${n}`, `write-${100_000 + n}`, n)))
    expect(statuses).toEqual(Array(GROUP).fill(201))
    const ids = numbers.map((n) => `write-${100_000 + n}`)
    const read = () => readCalls(readFileSync(trace, 'utf8'))
    const own = () => read().acknowledgements.filter(({ requestId }) => ids.includes(requestId))
    await until('all answers are in the trace', () => own().length === GROUP)
    expect(own().filter((each) => !each.isSynced || !each.isCommitted)).toEqual([])
    const syncs = read().syncs - before
    recordBar({
      ...{ bar: 4, part: 'groups', on: 'program', n: GROUP },
      ...{ measured: `${syncs} syncs of the log for ${GROUP} at once`, isMet: syncs < GROUP },
    })
    expect(syncs).toBeLessThan(GROUP)
  },
  120_000,
)

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
    const read = () => readCalls(readFileSync(trace, 'utf8'))
    const expected = WRITES - Math.floor(WRITES / 5)
    await until('all answers are in the trace', () => read().acknowledgements.length >= expected)
    const { acknowledgements: all, syncs } = read()
    const early = all.filter((each) => !each.isSynced || !each.isCommitted).map(({ requestId }) => requestId)
    const measured = `${early.length} left early, ${syncs} syncs of the log for them`
    const isMet = early.length === 0
    recordBar({ bar: 4, part: 'acknowledgements', on: 'program', n: all.length, measured, isMet })
    expect(early).toEqual([])
    expect(all.length).toBeGreaterThanOrEqual(expected)
  },
  600_000,
)
