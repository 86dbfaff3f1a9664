import { afterAll, beforeAll, expect, test } from 'bun:test'
import { recordBar } from './bars.ts'
import {
  type BodyFamily,
  JSON_FAMILIES,
  JSON_TYPE,
  MULTIPART_FAMILIES,
  URLENCODED_FAMILIES,
} from './heavy-bodies.ts'
import { readRepetitions } from './random.ts'
import { type Install, newInstall, type Service, startService } from './service.ts'

/**
 * Nobody waits this long while one heavy request is looked at. The goal is 50 ms on an idle machine; this bound is for
 * machines that do much else.
 */
const WAIT_MS_MAX = 1_000
const KIB = 1024
const MIB = 1024 * KIB

let install: Install
let service: Service
let watch: Worker
/** Waits for `/health` since the last look, in milliseconds. */
let waits: number[] = []

beforeAll(async () => {
  install = await newInstall()
  service = await startService(install)
  watch = new Worker(new URL('./health-watch.ts', import.meta.url).href)
  watch.onmessage = ({ data }: MessageEvent<number>) => void waits.push(data)
  watch.postMessage(service.address)
}, 60_000)
afterAll(async () => {
  watch?.terminate()
  await service?.crash()
  install.remove()
})

/** Longest wait of somebody else while the work went on, and until they have been served once more. */
async function longestWaitOnce(work: () => Promise<unknown>): Promise<number> {
  waits = []
  await work()
  const served = waits.length
  while (waits.length < served + 2) await Bun.sleep(1)
  return Math.max(...waits)
}

/** What the bar asks for. A wait beyond it may be the machine's, so it counts only when it comes three times. */
const WAIT_MS_GOAL = 50
/** Further tries of all tests together: on a machine that does much else every wait is longer. */
let triesLeft = 60
const worst = { ms: 0, tried: 0, over: 0 }
afterAll(() => {
  if (worst.tried === 0) return
  const measured = `longest wait ${worst.ms.toFixed(0)} ms (least of up to three tries), ${worst.over} of ${worst.tried} over ${WAIT_MS_GOAL} ms`
  recordBar({ bar: 34, part: 'wait', on: 'program', n: worst.tried, measured, isMet: worst.over === 0 })
})

async function longestWait(work: () => Promise<unknown>): Promise<number> {
  let least = Infinity
  for (let n = 0; n < 3 && least > WAIT_MS_GOAL && (n === 0 || triesLeft-- > 0); n++)
    least = Math.min(least, await longestWaitOnce(work))
  worst.tried++
  worst.ms = Math.max(worst.ms, least)
  if (least > WAIT_MS_GOAL) worst.over++
  return least
}

const rows: string[] = []
afterAll(() => {
  if (process.env['LOOP_TABLE']) console.log(rows.sort().reverse().join('\n'))
})

interface Attack {
  method: string
  path: string
  family: BodyFamily
  bytes: number
  isOpen?: boolean
}

const attacks = (
  method: string,
  path: string,
  families: readonly BodyFamily[],
  bytes: number,
  isOpen = false,
) =>
  families.map((family): [string, Attack] => [
    `${method} ${path}, ${(bytes / MIB).toFixed(2)} MiB, ${family.name}`,
    { method, path, family, bytes, isOpen },
  ])

/** How many of the attacks run: in turn, so that each family meets some routes and each route most families. */
const SHARE = readRepetitions('LOOP_SHARE_PERCENT', 34) / 100

const ATTACKS = [
  ...attacks('POST', '/oauth/login', JSON_FAMILIES, MIB, true),
  ...attacks('POST', '/oauth/login', JSON_FAMILIES, 16 * KIB - 100, true),
  ...attacks('POST', '/oauth/revoke', URLENCODED_FAMILIES, 16 * KIB - 100, true),
  ...attacks('POST', '/v1/search/text', JSON_FAMILIES, MIB - 100),
  ...attacks('POST', '/v1/search/url', JSON_FAMILIES, 15 * MIB - 100),
  ...attacks('POST', '/v1/search/url', JSON_FAMILIES, 13 * MIB),
  ...attacks('POST', '/v1/products', JSON_FAMILIES, 15 * MIB - 100),
  ...attacks('PATCH', '/v1/products/p', JSON_FAMILIES, 15 * MIB - 100),
  ...attacks('POST', '/v1/search', MULTIPART_FAMILIES, 9.9 * MIB),
  ...attacks('POST', '/v1/products', MULTIPART_FAMILIES, 9.9 * MIB),
].filter((_, n) => Math.floor((n + 1) * SHARE) > Math.floor(n * SHARE))

const bearer = () => ({ authorization: `Bearer ${install.token}` })

test.each(ATTACKS)(
  'nobody waits for %s',
  async (name, { method, path, family, bytes, isOpen }) => {
    const headers = {
      'content-type': family.type,
      ...(!isOpen && bearer()),
    }
    const body = family.make(bytes)
    let status = 0
    const wait = await longestWait(async () => {
      const fresh = { ...headers, 'idempotency-key': crypto.randomUUID() }
      const response = await fetch(service.address + path, { method, headers: fresh, body })
      status = response.status
      await response.text()
    })
    rows.push(`${wait.toFixed(0).padStart(6)} ms  ${status}  ${name}`)
    expect(wait).toBeLessThan(WAIT_MS_MAX)
    expect(status === 200 || (status >= 400 && status < 500)).toBe(true)
  },
  120_000,
)

/** Long queries and header values: what a URL and a head of 60 KiB can hold. */
const QUERIES: Record<string, string> = {
  'one name again and again': 'limit=1&'.repeat(7_500),
  'different names': Array.from({ length: 7_500 }, (_, n) => `k${n}=1`).join('&'),
  escapes: `q=${'%41'.repeat(18_000)}`,
  commas: `q=${','.repeat(55_000)}`,
  'plus signs': '+&'.repeat(25_000),
  'a cursor': `cursor=${'A'.repeat(55_000)}`,
}
test.each(Object.entries(QUERIES))(
  'nobody waits for a query of 60 KiB: %s',
  async (name, query) => {
    const wait = await longestWait(async () => {
      const response = await fetch(`${service.address}/v1/products?${query}`, { headers: bearer() })
      await response.text()
    })
    rows.push(`${wait.toFixed(0).padStart(6)} ms       query, ${name}`)
    expect(wait).toBeLessThan(WAIT_MS_MAX)
  },
  30_000,
)

const VALUE = 'a'.repeat(14_000)
const HEADERS: Record<string, Record<string, string>> = {
  cookies: { cookie: 'a=b; '.repeat(2_800) },
  'a long credential': { authorization: `Bearer ${VALUE}.${VALUE}.${VALUE}` },
  'a long Basic credential': { authorization: `Basic ${VALUE}` },
  'addresses of proxies': { 'x-forwarded-for': '1.2.3.4, '.repeat(1_500) },
  'wishes for types': { accept: 'text/html;q=0.1, '.repeat(900) },
  'a type with many parameters': { 'content-type': `application/json${'; a=b'.repeat(2_500)}` },
  'a long boundary': { 'content-type': `multipart/form-data;${' '.repeat(14_000)}boundary=x` },
}
test.each(Object.entries(HEADERS))(
  'nobody waits for a header of many parts: %s',
  async (name, headers) => {
    const wait = await longestWait(async () => {
      const given = { 'content-type': JSON_TYPE, ...bearer(), ...headers }
      const url = `${service.address}/v1/search/text`
      await (await fetch(url, { method: 'POST', headers: given, body: '{"query":"red"}' })).text()
    })
    rows.push(`${wait.toFixed(0).padStart(6)} ms       header, ${name}`)
    expect(wait).toBeLessThan(WAIT_MS_MAX)
  },
  30_000,
)
