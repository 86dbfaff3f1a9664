import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Subprocess } from 'bun'
import { type Install, newInstall, type Service, spawnService, startService, until } from './service.ts'

const ROOT = join(import.meta.dir, '../..')
const LITESTREAM = join(ROOT, 'node_modules/@flydotio/litestream-linux-x64/litestream')
const TAKEOVER_MS = 90_000
/** What may be lost when the machine of the owner dies. */
const LOST_MS_MAX = 1_000

/** The object store of the drills, which can be away. */
class Store {
  readonly folder = mkdtempSync(join(tmpdir(), 'lookalike-store-'))
  port = 0
  #process: Subprocess | undefined

  async start(): Promise<void> {
    const child = Bun.spawn(
      [
        ...[process.execPath, join(ROOT, 'scripts/scale/object-store.ts'), '--folder', this.folder],
        ...['--bucket', 'copies', '--port', String(this.port)],
      ],
      { stdio: ['ignore', 'pipe', 'ignore'] },
    )
    this.#process = child
    for await (const piece of child.stdout) {
      const found = /listening on http:\/\/127\.0\.0\.1:(\d+)/.exec(new TextDecoder().decode(piece))?.[1]
      if (found === undefined) continue
      this.port = Number(found)
      return
    }
    throw new Error('the object store did not start')
  }

  async stop(): Promise<void> {
    this.#process?.kill('SIGKILL')
    await this.#process?.exited
  }

  settings = (): Record<string, string> => ({
    ...{
      S3_ENDPOINT: `http://127.0.0.1:${this.port}`,
      S3_ACCESS_KEY_ID: 'S3RVER',
      S3_SECRET_ACCESS_KEY: 'S3RVER',
    },
    ...{ FETCH_ALLOW_CIDRS: '127.0.0.0/8', BACKUP_EVERY_H: '0', LITESTREAM, LOG_LEVEL: 'info' },
  })
}

const store = new Store()
let owner: Install
let standbyDir: string
const running = new Set<Service>()
const logs = { owner: [] as string[], standby: [] as string[] }

beforeAll(async () => {
  await store.start()
  owner = await newInstall()
  standbyDir = mkdtempSync(join(tmpdir(), 'lookalike-standby-'))
  cpSync(join(owner.dataDir, 'secrets'), join(standbyDir, 'secrets'), { recursive: true })
}, TAKEOVER_MS)

afterAll(async () => {
  for (const service of running) await service.crash()
  await store.stop()
  owner.remove()
  for (const folder of [store.folder, standbyDir]) rmSync(folder, { recursive: true, force: true })
})

const keep = (service: Service): Service => {
  running.add(service)
  return service
}
const start = async (dataDir: string, settings: Record<string, string>, log: string[]): Promise<Service> =>
  keep(
    await startService(
      { dataDir },
      { settings: { ...store.settings(), ...settings }, onLog: (line) => log.push(line) },
    ),
  )

let made = 0
/** Writes a rule. @returns its name if it was acknowledged. */
async function write({ address }: Service): Promise<{ name?: string; status: number; error?: string }> {
  const name = `rule ${++made}`
  const answer = await fetch(`${address}/v1/store/rules`, {
    method: 'POST',
    headers: { authorization: `Bearer ${owner.token}`, 'content-type': 'application/json' },
    body: JSON.stringify({
      ...{ name, when: { words: [`word${made}`] } },
      then: [{ action: 'pin', product_id: `p${made}`, position: 1 }],
    }),
  })
  const body = (await answer.json()) as { error?: string }
  return answer.status === 201 ? { name, status: 201 } : { status: answer.status, ...body }
}

async function listRules({ address }: Service): Promise<Set<string>> {
  const names = new Set<string>()
  for (let cursor = ''; ; ) {
    const answer = await fetch(
      `${address}/v1/store/rules?limit=100${cursor && `&cursor=${encodeURIComponent(cursor)}`}`,
      {
        headers: { authorization: `Bearer ${owner.token}` },
      },
    )
    const page = (await answer.json()) as { rules: { name: string }[]; next_cursor?: string | null }
    for (const { name } of page.rules) names.add(name)
    if (!page.next_cursor) return names
    cursor = page.next_cursor
  }
}

/** Kills a service with everything it has started, as a machine does that loses its power. */
async function killMachine(service: Service, dataDir: string): Promise<void> {
  const found = Bun.spawnSync(['pgrep', '-f', join(dataDir, 'work/litestream-copy.yml')]).stdout.toString()
  for (const pid of found.split('\n').filter(Boolean)) {
    try {
      process.kill(Number(pid), 'SIGKILL')
    } catch {
      // It has ended with another one.
    }
  }
  running.delete(service)
  await service.crash()
}

const copies = { owner: { COPIES_TO: 's3://copies/shop' }, standby: { STANDBY: 's3://copies/shop' } }

describe('an owner and its standby', () => {
  let first: Service
  let second: Promise<Service>
  let taken: Service

  test(
    'the standby takes over when the machine of the owner dies, and at most a second is lost',
    async () => {
      first = await start(owner.dataDir, copies.owner, logs.owner)
      await until('the first copy lies in the bucket', async () => (await write(first)).status === 201)
      second = start(standbyDir, copies.standby, logs.standby)
      await until(
        'the standby holds a copy',
        () => existsSync(join(standbyDir, 'standby/lookalike.db')),
        TAKEOVER_MS,
      )
      const acknowledged: { name: string; at: number }[] = []
      for (const end = performance.now() + 3_000; performance.now() < end; ) {
        const { name } = await write(first)
        if (name !== undefined) acknowledged.push({ name, at: performance.now() })
      }
      const diedAt = performance.now()
      await killMachine(first, owner.dataDir)
      taken = await second
      const kept = await listRules(taken)
      const lost = acknowledged.filter(({ name }) => !kept.has(name))
      expect(acknowledged.length).toBeGreaterThan(10)
      for (const { at } of lost) expect(diedAt - at).toBeLessThan(LOST_MS_MAX)
      expect(kept.size).toBeGreaterThan(0)
      await until('the new owner answers writes', async () => (await write(taken)).status === 201)
    },
    2 * TAKEOVER_MS,
  )

  test(
    'the old owner comes back, sets its database aside and waits',
    async () => {
      logs.owner.length = 0
      const { child } = spawnService(
        { dataDir: owner.dataDir },
        { settings: { ...store.settings(), ...copies.owner }, onLog: (line) => logs.owner.push(line) },
      )
      await until('it is a standby', () => logs.owner.some((line) => line.includes('this node is a standby')))
      const aside = readdirSync(owner.dataDir).filter((name) => name.startsWith('set-aside-'))
      expect(aside).toHaveLength(1)
      expect(readdirSync(join(owner.dataDir, aside[0] ?? ''))).toContain('lookalike.db')
      expect(existsSync(join(owner.dataDir, 'lookalike.db'))).toBe(false)
      child.kill('SIGTERM')
      expect(await child.exited).toBe(0)
    },
    TAKEOVER_MS,
  )

  test(
    'without the bucket reads go on and writes are refused; with it they go on',
    async () => {
      await store.stop()
      await until('writes are refused', async () => (await write(taken)).error === 'read_only', TAKEOVER_MS)
      expect((await listRules(taken)).size).toBeGreaterThan(0)
      await store.start()
      await until('writes are answered', async () => (await write(taken)).status === 201, TAKEOVER_MS)
    },
    2 * TAKEOVER_MS,
  )

  test(
    'with SYNC_COPIES nothing that was acknowledged is lost',
    async () => {
      running.delete(taken)
      await taken.stop()
      const synced = await start(standbyDir, { ...copies.standby, SYNC_COPIES: '1' }, logs.standby)
      await until('the copy is whole', async () => (await write(synced)).status === 201, TAKEOVER_MS)
      const next = start(owner.dataDir, copies.owner, logs.owner)
      await until(
        'the standby holds a copy',
        () => existsSync(join(owner.dataDir, 'standby/lookalike.db')),
        TAKEOVER_MS,
      )
      const acknowledged: string[] = []
      for (const end = performance.now() + 3_000; performance.now() < end; ) {
        const { name } = await write(synced)
        if (name !== undefined) acknowledged.push(name)
      }
      await killMachine(synced, standbyDir)
      const kept = await listRules(await next)
      expect(acknowledged.length).toBeGreaterThan(2)
      expect(acknowledged.filter((name) => !kept.has(name))).toEqual([])
    },
    2 * TAKEOVER_MS,
  )
})

describe('an owner that cannot copy ends with one sentence', () => {
  async function fail(settings: Record<string, string>): Promise<string> {
    const dataDir = mkdtempSync(join(tmpdir(), 'lookalike-no-copies-'))
    try {
      const { child, log, logged } = spawnService(
        { dataDir },
        { settings: { ...store.settings(), ...copies.owner, LOG_LEVEL: 'error', ...settings } },
      )
      expect(await child.exited).toBe(1)
      await logged
      return log.join('\n')
    } finally {
      rmSync(dataDir, { recursive: true, force: true })
    }
  }

  test(
    'with another version of Litestream',
    async () => {
      expect(await fail({ LITESTREAM: '/bin/echo' })).toMatch(
        /LITESTREAM: \/bin\/echo is version, but .* 0\.3\.13 alone/,
      )
      expect(await fail({ LITESTREAM: '/nowhere/litestream' })).toMatch(/cannot be started \(ENOENT\)/)
    },
    TAKEOVER_MS,
  )

  test(
    'with a key that may not',
    async () => {
      const refusing = Bun.serve({
        ...{ hostname: '127.0.0.1', port: 0 },
        fetch: () => new Response('<Error><Code>AccessDenied</Code></Error>', { status: 403 }),
      })
      const said = await fail({ S3_ENDPOINT: `http://127.0.0.1:${refusing.port}` })
      await refusing.stop(true)
      expect(said).toMatch(/may not do this in the bucket copies .*403 AccessDenied/)
    },
    TAKEOVER_MS,
  )

  test(
    'with a bucket that is not there',
    async () => {
      expect(await fail({ COPIES_TO: 's3://nowhere/shop' })).toMatch(/There is no bucket nowhere/)
    },
    TAKEOVER_MS,
  )

  test(
    'with a store that keeps no conditions',
    async () => {
      const folder = join(store.folder, 'plain')
      mkdirSync(folder)
      const { default: S3rver } = (await import('s3rver' as string)) as {
        default: new (
          options: Record<string, unknown>,
        ) => { run(): Promise<{ port: number }>; close(): Promise<void> }
      }
      const plain = new S3rver({
        ...{ port: 0, address: '127.0.0.1', silent: true, directory: folder },
        configureBuckets: [{ name: 'copies' }],
      })
      const { port } = await plain.run()
      expect(await fail({ S3_ENDPOINT: `http://127.0.0.1:${port}` })).toMatch(
        /does not keep conditions of writes/,
      )
      await plain.close()
    },
    TAKEOVER_MS,
  )
})
