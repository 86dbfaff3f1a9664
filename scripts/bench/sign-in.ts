/**
 * Measures whether time tells an attacker who has an account: sign-ins with an unknown e-mail against a wrong password
 * of a known one, and token requests with an unknown client_id against a wrong secret of a known one.
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
import { startMeasuredService } from './parts/process.ts'
import { mean, median, table, welch } from './parts/statistics.ts'

const { values: flags } = parseArgs({
  options: { tries: { type: 'string' }, executable: { type: 'string' } },
})
const tries = Number(flags.tries ?? 200)
const PASSWORD = 'a long password'

const folder = mkdtempSync(join(tmpdir(), 'lookalike-sign-in-'))
try {
  const clientIds = await withInstall(
    loadConfig({}, { 'data-dir': folder }),
    async ({ accounts }) => {
      const ids: string[] = []
      for (let n = 0; n < tries; n++) {
        const made = await accounts.setup({ email: known(n), password: PASSWORD, storeName: `Store ${n}` })
        ids.push(made.client_id)
      }
      return ids
    },
    { mayMake: true },
  )
  const settings = { TRUSTED_PROXIES: '127.0.0.1' }
  await using service = await startMeasuredService(folder, flags.executable, settings)

  const login = (email: string) => {
    const body = JSON.stringify({ email, password: 'another password' })
    return timed('/oauth/login', { body, headers: { 'content-type': 'application/json' } })
  }
  const token = (client_id: string) => {
    const fields = { grant_type: 'client_credentials', client_id, client_secret: 'x'.repeat(43) }
    return timed('/oauth/token', { body: new URLSearchParams(fields) })
  }

  let client = 0
  /** One refused request, in ms. */
  async function timed(path: string, init: RequestInit): Promise<number> {
    client++
    const address = `10.${client >> 16}.${(client >> 8) & 255}.${client & 255}`
    const headers = { ...(init.headers as Record<string, string>), 'x-forwarded-for': address }
    const begin = performance.now()
    const response = await fetch(service.address + path, { ...init, method: 'POST', headers })
    await response.arrayBuffer()
    if (response.status !== 401) throw new Error(`${path} answered ${response.status}`)
    return performance.now() - begin
  }

  const pairs = {
    'unknown e-mail / wrong password': [
      (n: number) => login(`nobody${n}@shop.test`),
      (n: number) => login(known(n)),
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
