/**
 * Measures whether time tells an attacker who has an account: sign-ins with an unknown e-mail against a wrong password
 * of a known one, token requests with an unknown client_id against a wrong secret of a known one, and the same sign-ins
 * while the e-mail is locked, the known one from an address that its person is known at.
 *
 *     bun scripts/bench/sign-in.ts [--tries 200] [--executable dist/lookalike]
 *
 * The service runs in a process of its own. Tries alternate, the first of each pair by turns, each from another address
 * and for another account, so that no throttle answers. Printed are the ratios of means and medians (goal: 0.9 to 1.1)
 * and Welch's t over logarithms, beyond ±4.5 of which a difference would count as proven (Reparaz et al., "Dude, is my
 * code constant time?").
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { withInstall } from '../../src/commands/runtime.ts'
import { loadConfig } from '../../src/config.ts'
import { openDatabase } from '../../src/platform/db/open.ts'
import { startMeasuredService } from './parts/process.ts'
import { mean, median, table, welch } from './parts/statistics.ts'

const { values: flags } = parseArgs({
  options: { tries: { type: 'string' }, executable: { type: 'string' } },
})
const tries = Number(flags.tries ?? 200)
const PASSWORD = 'a long password'

const folder = mkdtempSync(join(tmpdir(), 'lookalike-sign-in-'))
try {
  const made = await withInstall(
    loadConfig({}, { 'data-dir': folder }),
    async ({ accounts }) => {
      const setups = []
      for (let n = 0; n < tries; n++) {
        setups.push(await accounts.setup({ email: known(n), password: PASSWORD, storeName: `Store ${n}` }))
      }
      const locked = []
      for (let n = 0; n < tries; n++) {
        locked.push(
          await accounts.setup({ email: lockedOne(n), password: PASSWORD, storeName: `Locked ${n}` }),
        )
      }
      return { clientIds: setups.map(({ client_id }) => client_id), locked }
    },
    { mayMake: true },
  )
  const { clientIds } = made
  lockAll(made.locked.map(({ user_id }) => user_id))
  const settings = { TRUSTED_PROXIES: '127.0.0.1' }
  await using service = await startMeasuredService(folder, flags.executable, settings)

  const login = (email: string, from?: string) => {
    const body = JSON.stringify({ email, password: 'another password' })
    return timed('/oauth/login', { body, headers: { 'content-type': 'application/json' } }, from)
  }
  const token = (client_id: string) => {
    const fields = { grant_type: 'client_credentials', client_id, client_secret: 'x'.repeat(43) }
    return timed('/oauth/token', { body: new URLSearchParams(fields) })
  }

  let client = 0
  /** One refused request, in ms. */
  async function timed(path: string, init: RequestInit, from?: string): Promise<number> {
    client++
    // A network of its own.
    const address = from ?? `10.${client >> 8}.${client & 255}.1`
    const headers = { ...(init.headers as Record<string, string>), 'x-forwarded-for': address }
    const begin = performance.now()
    const response = await fetch(service.address + path, { ...init, method: 'POST', headers })
    const text = await response.text()
    const duration = performance.now() - begin
    const { error } = JSON.parse(text) as { error: string }
    if (error !== (from ? 'too_many_requests' : 'unauthorized')) throw new Error(`${path} answered ${error}`)
    return duration
  }

  const pairs = {
    'unknown e-mail / wrong password': [
      (n: number) => login(`nobody${n}@shop.test`),
      (n: number) => login(known(n)),
    ],
    'locked: unknown e-mail / from a known address': [
      (n: number) => login(lockedNobody(n % 1_000), otherAddress(n)),
      (n: number) => login(lockedOne(n), knownAddress(n)),
    ],
    'unknown client_id / wrong secret': [
      (n: number) => token(`${clientIds[n % tries]?.slice(0, -8)}${String(n).padStart(8, '0')}`),
      (n: number) => token(clientIds[n] ?? ''),
    ],
  } as const
  console.log(`\n${tries} tries of each`)
  const rows = [['', 'ratio of means', 'ratio of medians', 't']]
  for (const [name, sides] of Object.entries(pairs)) {
    const [unknown, wrong] = await alternating(sides)
    const t = welch(unknown.map(Math.log), wrong.map(Math.log))
    const ratios = [mean(unknown) / mean(wrong), median(unknown) / median(wrong)]
    rows.push([name, ...ratios.map((ratio) => ratio.toFixed(3)), t.toFixed(2)])
  }
  table(rows)
} finally {
  rmSync(folder, { recursive: true, force: true })
}

function known(n: number): string {
  return `owner${n}@shop.test`
}

function lockedOne(n: number): string {
  return `locked${n}@shop.test`
}

function lockedNobody(n: number): string {
  return `locked-nobody${n}@shop.test`
}

function knownAddress(n: number): string {
  return `172.16.${n & 255}.${n >> 8}`
}

function otherAddress(n: number): string {
  return `172.${20 + (n >> 16)}.${n & 255}.${(n >> 8) & 255}`
}

/** Puts five failures of now into the database for each e-mail, and a sign-in of each person. */
function lockAll(userIds: readonly string[]): void {
  const db = openDatabase(folder)
  const fail = db.prepare("INSERT INTO throttle_events (bucket, key, at) VALUES ('login.email', ?, ?)")
  const signIn = db.prepare('INSERT INTO sign_in_addresses (user_id, address, last_at) VALUES (?, ?, ?)')
  const now = Date.now()
  db.transaction(() => {
    for (const [n, userId] of userIds.entries()) {
      signIn.run(userId, knownAddress(n), BigInt(now))
      for (const email of [lockedOne(n), lockedNobody(n)]) {
        for (let failure = 0; failure < 5; failure++) fail.run(email, BigInt(now))
      }
    }
  })()
  db.close()
}

type Try = (n: number) => Promise<number>

async function alternating([one, other]: readonly [Try, Try]): Promise<[number[], number[]]> {
  const times: [number[], number[]] = [[], []]
  // The first requests of a process are slower.
  for (let n = 0; n < 10; n++) await one(n)
  for (let n = 0; n < tries; n++) {
    if (n % 2 === 0) times[0].push(await one(n + 1_000))
    times[1].push(await other(n))
    if (n % 2 === 1) times[0].push(await one(n + 1_000))
  }
  return times
}
