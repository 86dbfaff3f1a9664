import { afterAll, beforeAll, expect, test } from 'bun:test'
import { readdirSync, readFileSync } from 'node:fs'
import { connect } from 'node:net'
import { blackPng } from '../platform/embedder/pictures.ts'
import { recordBar } from './bars.ts'
import { bombs, scannedOver, tinyFrames } from './bombs.ts'
import { type Cgroup, newCgroup } from './cgroup.ts'
import { readRepetitions } from './random.ts'
import {
  type Install,
  newInstall,
  newStore,
  type Service,
  type Store,
  smallPicture,
  startService,
  until,
} from './service.ts'

const ROUNDS = readRepetitions('HEALING_ROUNDS', 2)
const KILLS = readRepetitions('DECODER_KILLS', 12)
const IS_LINUX = process.platform === 'linux'
/** From the end of the cause until searches are answered. */
const HEALED_MS = 5_000
const BACK_MS = 1_000

let install: Install
let other: Store
let service: Service
let pids: Cgroup | undefined
const deaths: string[] = []

beforeAll(async () => {
  install = await newInstall()
  other = await newStore(install.dataDir, 'other@shop.test')
  pids = newCgroup('pids')
  service = await startService(install, {
    // Few files, so that a handful of connections takes them all.
    wrap: IS_LINUX ? [...(pids?.wrap ?? []), 'sh', '-c', 'ulimit -n 64; exec "$@"', 'sh'] : [],
    settings: { LOG_LEVEL: 'warn' },
    onLog: (line) => void (line.includes('embedder process ended') && deaths.push(line)),
  })
}, 120_000)
afterAll(async () => {
  await service?.crash()
  install?.remove()
  pids?.remove()
})

const post = (path: string, { token }: Store, body: FormData | string): Promise<Response> =>
  fetch(service.address + path, {
    method: 'POST',
    body,
    headers: {
      authorization: `Bearer ${token}`,
      ...(typeof body === 'string' && { 'content-type': 'application/json' }),
    },
  })

async function searchWith(store: Store, picture: Uint8Array | File): Promise<string> {
  const form = new FormData()
  form.set('image', new File([picture as Uint8Array<ArrayBuffer>], 'picture'))
  const answer = await post('/v1/search', store, form)
  const body = (await answer.json()) as { error?: string }
  return answer.ok ? 'found' : (body.error ?? 'nothing said')
}

/** Threads that the service may still start at a limit of processes; one of ours needs some twenty. */
const SPARE_THREADS = 12

let searchesByWords = 0

/** With words that no search had before: known ones would be answered without the model. */
const searchByWords = async (store: Store): Promise<number> =>
  (await post('/v1/search/text', store, JSON.stringify({ query: `red ${++searchesByWords}` }))).status

const readiness = async (): Promise<number> => (await fetch(`${service.address}/health/ready`)).status

/** Process ids of the service's children by what they do. Linux only. */
function children(): { text: number; vision: number } {
  const found = { text: 0, vision: 0 }
  for (const name of readdirSync('/proc')) {
    if (!/^\d+$/.test(name)) continue
    try {
      const parent = /^PPid:\s+(\d+)$/m.exec(readFileSync(`/proc/${name}/status`, 'utf8'))?.[1]
      if (Number(parent) !== service.pid) continue
      const role = /embedder-process\0(text|vision)\0/.exec(
        readFileSync(`/proc/${name}/cmdline`, 'utf8'),
      )?.[1]
      if (role === 'text' || role === 'vision') found[role] = Number(name)
    } catch {
      // It has just ended.
    }
  }
  return found
}

const pngBomb = async () => (await bombs()).get('PNG: 10 GB of text in 10 MB')?.bytes ?? new Uint8Array()

test.each([
  ['compressed remarks', pngBomb, 'found'],
  ['frames of an animation', () => tinyFrames(200_000), 'found'],
  ['scans', () => scannedOver(300_000), 'image_unreadable'],
])(
  'eight files of %s harm nobody, and no process dies of them',
  async (_, make, outcome) => {
    const bytes = await make()
    deaths.length = 0
    const attack = Array.from({ length: 8 }, () => searchWith(install, bytes))
    expect(await searchWith(other, await smallPicture(1))).toBe('found')
    // Eight of ten megabytes are more than one store may have in flight.
    const outcomes = await Promise.all(attack)
    expect(outcomes).toContain(outcome)
    expect(outcomes.filter((other) => ![outcome, 'overloaded'].includes(other))).toEqual([])
    expect(deaths).toEqual([])
  },
  120_000,
)

test('none of sixteen pictures of 50 megapixels is called damaged, and another store goes in between', async () => {
  const giant = blackPng(7_000, 7_100)
  deaths.length = 0
  let isDone = false
  const attack = Promise.all(Array.from({ length: 16 }, () => searchWith(install, giant))).finally(() => {
    isDone = true
  })
  expect(await searchWith(other, await smallPicture(2))).toBe('found')
  expect(isDone).toBe(false)
  // How many fit into the longest wait depends on the machine.
  const outcomes = new Set(await attack)
  expect(outcomes.has('found')).toBe(true)
  expect([...outcomes].filter((outcome) => !['found', 'overloaded'].includes(outcome))).toEqual([])
  expect(deaths).toEqual([])
}, 120_000)

/**
 * Until a search is answered. What readiness says before each must be true of the search after it.
 *
 * @returns how long that took, in milliseconds.
 */
async function untilHealed(search: () => Promise<boolean>): Promise<number> {
  const begin = performance.now()
  await until('it has healed', async () => {
    const isReady = (await readiness()) === 200
    const isFound = await search()
    if (isReady) expect(isFound).toBe(true)
    return isReady && isFound
  })
  return performance.now() - begin
}

function recordHealing(part: string, times: readonly number[], remark = ''): void {
  const slowest = Math.max(...times)
  const measured = `searches answered ${slowest.toFixed(0)} ms after the cause was gone, at most; readiness never lied${remark}`
  recordBar({ bar: 38, part, on: 'program', n: times.length, measured, isMet: slowest <= HEALED_MS })
}

/** What a picture may be answered whose process was killed: it is tried once more, or refused in words. */
const DECODER_GONE: readonly string[] = ['found', 'image_unreadable', 'model_not_ready', 'overloaded']

const searches = {
  text: async () => (await searchByWords(install)) === 200,
  vision: async () => (await searchWith(install, await smallPicture(3))) === 'found',
}

test.skipIf(!IS_LINUX).each(['text', 'vision'] as const)(
  `the %s process that is killed or stopped is replaced, and readiness never lies (${ROUNDS} times each)`,
  async (role) => {
    for (const [part, signal, rounds] of [
      ['kill -9', 'SIGKILL', Math.max(ROUNDS, 3)],
      ['SIGSTOP', 'SIGSTOP', ROUNDS],
    ] as const) {
      const times: number[] = []
      let noticed = 0
      for (let round = 0; round < rounds; round++) {
        const { [role]: pid } = children()
        // A signal to 0 would hit this process.
        expect(pid).toBeGreaterThan(0)
        const begin = performance.now()
        process.kill(pid, signal)
        await until('it is gone', () => children()[role] !== pid)
        noticed = Math.max(noticed, performance.now() - begin)
        times.push(await untilHealed(searches[role]))
      }
      recordHealing(part, times, `; ${role} process, given up after ${noticed.toFixed(0)} ms at most`)
    }
  },
  7_200_000,
)

test.skipIf(!IS_LINUX)(
  'processes that die while no file can be opened are back once it can',
  async () => {
    const times: number[] = []
    for (let round = 0; round < ROUNDS; round++) {
      const port = Number(new URL(service.address).port)
      const sockets = Array.from({ length: 70 }, () => {
        const socket = connect(port, '127.0.0.1').on('error', () => {})
        socket.write('GET /health HTTP/1.1\r\nhost: a\r\nx: ')
        return socket
      })
      await until('no file is left', () => readdirSync(`/proc/${service.pid}/fd`).length >= 64)
      for (const pid of Object.values(children())) process.kill(pid, 'SIGKILL')
      await until('they are gone', () => children().text + children().vision === 0)
      for (const socket of sockets) socket.destroy()
      times.push(await untilHealed(async () => (await searches.text()) && (await searches.vision())))
    }
    recordHealing('EMFILE', times)
    expect(times.length).toBe(ROUNDS)
  },
  7_200_000,
)

test.skipIf(!IS_LINUX)(
  'processes that die while none may be started are back once they may',
  async () => {
    // Without a control group there is no such limit to set.
    if (!pids) return
    const times: number[] = []
    for (let round = 0; round < ROUNDS; round++) {
      // Too few for a process with its threads. The service gets some: without one more Bun itself aborts.
      pids.limit(readdirSync(`/proc/${service.pid}/task`).length + SPARE_THREADS)
      try {
        for (const pid of Object.values(children())) process.kill(pid, 'SIGKILL')
        await until('readiness says so', async () => (await readiness()) === 503)
      } finally {
        pids.limit(null)
      }
      times.push(await untilHealed(async () => (await searches.text()) && (await searches.vision())))
    }
    recordHealing('pids limit', times)
    expect(times.length).toBe(ROUNDS)
  },
  7_200_000,
)

test.skipIf(!IS_LINUX)(
  `a picture whose process is killed is answered, and the next one soon (${KILLS} times)`,
  async () => {
    const answers = new Map<string, number>()
    const times: number[] = []
    for (let round = 0; round < KILLS; round++) {
      const answer = searchWith(install, await smallPicture(round))
      await Bun.sleep(round % 12)
      process.kill(children().vision, 'SIGKILL')
      const begin = performance.now()
      const outcome = await answer
      answers.set(outcome, (answers.get(outcome) ?? 0) + 1)
      await until('the next one is found', searches.vision)
      times.push(performance.now() - begin)
    }
    const slowest = Math.max(...times)
    const others = [...answers.keys()].filter((outcome) => !DECODER_GONE.includes(outcome))
    const measured = `${[...answers].map(([outcome, n]) => `${n} ${outcome}`).join(', ')}; the next picture found ${slowest.toFixed(0)} ms after the kill, at most`
    const isMet = others.length === 0 && slowest <= BACK_MS
    recordBar({ bar: 15, part: 'kills', on: 'program', n: KILLS, measured, isMet })
    expect(others).toEqual([])
  },
  7_200_000,
)
