/**
 * Measures whether response times reveal who has an account. It compares sign-ins with an unknown e-mail address and
 * sign-ins with a wrong password; token requests with an unknown client_id and token requests with a wrong secret; and
 * the same sign-ins for locked e-mail addresses, the known ones from a network address where the person signed in before.
 *
 *     bun scripts/bench/sign-in.ts [--rounds 400] [--executable dist/lookalike]
 *
 * The service runs in its own process; only the last of several executables is measured. Tries alternate, and so does the first of each pair. Each comes from another
 * network address and for another account, so that no throttle answers. The figures are the ratios of medians (goal: 0.9 to
 * 1.1); beside them stand those of means, and Welch's t over logarithms: beyond ±4.5 a difference counts as proven (Reparaz et al.,
 * "Dude, is my code constant time?").
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { withInstall } from '../../src/commands/service/with-install.ts'
import { loadConfig } from '../../src/config.ts'
import { openDatabase } from '../../src/platform/db/open.ts'
import type { Bench, Figure, Row } from './parts/bench.ts'
import type { Contestant } from './parts/options.ts'
import { startMeasuredService } from './parts/process.ts'
import { runAlone } from './parts/run.ts'
import { mean, median, welch } from './parts/statistics.ts'

const TRIES_DEFAULT = 200
const PASSWORD = 'a long password'

const row = (id: string, what: string, against: string): Row => ({
  ...{ id, what, against, unit: 'ratio', goal: { from: 0.9, to: 1.1 } },
})

export const signIn: Bench = {
  name: 'sign-in',
  rows: [
    row('sign-in', 'sign-in with an unknown e-mail address', 'with a wrong password'),
    row('sign-in-locked', 'locked sign-in with an unknown e-mail address', 'from a known network address'),
    row('token', 'token with an unknown `client_id`', 'with a wrong secret'),
  ],
  minutes: { quick: 1, full: 1 },
  async run({ rounds = TRIES_DEFAULT, contestants }, report) {
    const contestant = contestants.at(-1)
    if (contestant) await measure(contestant, rounds, report)
  },
}

async function measure(
  contestant: Contestant,
  tries: number,
  report: (figure: Figure) => void,
): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'lookalike-sign-in-'))
  try {
    const created = await withInstall(
      loadConfig({}, { 'data-dir': folder }),
      async ({ setup }) => {
        const setups = []
        for (let n = 0; n < tries; n++) {
          setups.push(await setup.run({ email: known(n), password: PASSWORD, storeName: `Store ${n}` }))
        }
        const locked = []
        for (let n = 0; n < tries; n++) {
          locked.push(await setup.run({ email: lockedOne(n), password: PASSWORD, storeName: `Locked ${n}` }))
        }
        return { clientIds: setups.map(({ client_id }) => client_id), locked }
      },
      { mayMake: true },
    )
    const { clientIds } = created
    lockAll(
      folder,
      created.locked.map(({ user_id }) => user_id),
    )
    const settings = { TRUSTED_PROXIES: '127.0.0.1' }
    await using service = await startMeasuredService(folder, contestant.executable, settings)

    const signIn = (email: string, from?: string) => {
      const body = JSON.stringify({ email, password: 'another password' })
      return time('/oauth/login', { body, headers: { 'content-type': 'application/json' } }, from)
    }
    const token = (client_id: string) => {
      const fields = { grant_type: 'client_credentials', client_id, client_secret: 'x'.repeat(43) }
      return time('/oauth/token', { body: new URLSearchParams(fields) })
    }

    let client = 0
    /** Measures one refused request in ms. */
    async function time(path: string, init: RequestInit, from?: string): Promise<number> {
      client++
      // Each request comes from its own network.
      const address = from ?? `10.${client >> 8}.${client & 255}.1`
      const headers = { ...(init.headers as Record<string, string>), 'x-forwarded-for': address }
      const begin = performance.now()
      const response = await fetch(service.address + path, { ...init, method: 'POST', headers })
      const text = await response.text()
      const duration = performance.now() - begin
      const { error } = JSON.parse(text) as { error: string }
      if (error !== (from ? 'too_many_requests' : 'unauthorized'))
        throw new Error(`${path} answered ${error}`)
      return duration
    }

    const pairs = {
      'sign-in': [(n: number) => signIn(`nobody${n}@shop.test`), (n: number) => signIn(known(n))],
      'sign-in-locked': [
        (n: number) => signIn(lockedNobody(n % 1_000), otherAddress(n)),
        (n: number) => signIn(lockedOne(n), knownAddress(n)),
      ],
      token: [
        (n: number) => token(`${clientIds[n % tries]?.slice(0, -8)}${String(n).padStart(8, '0')}`),
        (n: number) => token(clientIds[n] ?? ''),
      ],
    } as const
    for (const [row, sides] of Object.entries(pairs)) {
      const [unknown, wrong] = await alternate(sides, tries)
      const t = welch(unknown.map(Math.log), wrong.map(Math.log))
      const means = mean(unknown) / mean(wrong)
      report({
        ...{ row, contestant: contestant.name, value: median(unknown) / median(wrong) },
        note: `means ${means.toFixed(3)}, t ${t.toFixed(1)}, ${tries} tries of each`,
      })
    }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
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

/** Writes five failures of now to the database for each e-mail address, and a sign-in of each person. */
function lockAll(folder: string, userIds: readonly string[]): void {
  const db = openDatabase(folder)
  const fail = db.prepare("INSERT INTO throttle_events (bucket, key, at) VALUES ('login.email', ?, ?)")
  const addSignIn = db.prepare('INSERT INTO sign_in_addresses (user_id, address, last_at) VALUES (?, ?, ?)')
  const now = Date.now()
  db.transaction(() => {
    for (const [n, userId] of userIds.entries()) {
      addSignIn.run(userId, knownAddress(n), BigInt(now))
      for (const email of [lockedOne(n), lockedNobody(n)]) {
        for (let failure = 0; failure < 5; failure++) fail.run(email, BigInt(now))
      }
    }
  })()
  db.close()
}

type Try = (n: number) => Promise<number>

async function alternate([one, other]: readonly [Try, Try], tries: number): Promise<[number[], number[]]> {
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

if (import.meta.main) await runAlone(signIn)
