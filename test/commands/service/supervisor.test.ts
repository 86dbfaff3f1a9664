import { afterAll, beforeAll, expect, test } from 'bun:test'
import { chmodSync, mkdtempSync, readFileSync, rmSync, watch, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { findSupervisor } from '../../../src/commands/service/supervisor.ts'

let folder: string
let heard: string

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'lookalike-notify-'))
  heard = join(folder, 'heard')
  writeFileSync(heard, '')
  // In the place of systemd's own: it writes down what it should send, and where to.
  writeFileSync(join(folder, 'systemd-notify'), `#!/bin/sh\necho "$NOTIFY_SOCKET $*" >>'${heard}'\n`)
  chmodSync(join(folder, 'systemd-notify'), 0o755)
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

/** Resolves when the supervisor has heard a text. */
function hearing(text: string): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>()
  const look = () => {
    if (readFileSync(heard, 'utf8').includes(text)) resolve()
  }
  const watcher = watch(heard, look)
  look()
  return promise.finally(() => watcher.close())
}

const environment = () => ({ NOTIFY_SOCKET: '/run/notify', PATH: `${folder}:/usr/bin:/bin` })
const quiet = { warn: () => {} }

test('the supervisor hears that the service is ready, lives and stops', async () => {
  const env = { ...environment(), WATCHDOG_USEC: '3000' }
  const supervisor = findSupervisor(env, 7, quiet)
  await supervisor.tellReady('listening on http://127.0.0.1:8080')
  await hearing('/run/notify --ready --status=listening on http://127.0.0.1:8080')
  await hearing('/run/notify WATCHDOG=1')
  await supervisor.tellStopping()
  await hearing('/run/notify STOPPING=1')
})

test('without a supervisor nothing is sent', async () => {
  writeFileSync(heard, '')
  await findSupervisor({ PATH: folder }, 7, quiet).tellReady('ready')
  expect(readFileSync(heard, 'utf8')).not.toContain('status=ready')
})

test('a supervisor that cannot be told is logged once', async () => {
  const warnings: unknown[] = []
  const env = { NOTIFY_SOCKET: '/run/notify', PATH: join(folder, 'nowhere') }
  const supervisor = findSupervisor(env, 7, { warn: (facts: unknown) => void warnings.push(facts) })
  await supervisor.tellReady('ready')
  await supervisor.tellStopping()
  expect(warnings).toHaveLength(1)
})
