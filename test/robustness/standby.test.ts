import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ObjectStore, Pair } from './pair.ts'
import { newInstall, type Service, spawnService, until } from './service.ts'

/** How long a standby may take on a machine that works on other things, too. */
const TAKEOVER_MS = 120_000
/** What may be lost when the machine of the owner dies. */
const LOST_MS_MAX = 1_000
const WRITE_MS = 3_000

/** Runs a test with a pair of its own, and says what both machines said when it fails. */
const withPair = (name: string, work: (pair: Pair) => Promise<void>) =>
  test(
    name,
    async () => {
      await using pair = await Pair.open()
      try {
        await work(pair)
      } catch (error) {
        console.log(pair.readLogs())
        throw error
      }
    },
    3 * TAKEOVER_MS,
  )

const untilWritten = (pair: Pair, service: Service): Promise<void> =>
  until('a write is acknowledged', async () => (await pair.write(service)).status === 201, TAKEOVER_MS)

const untilCopyLiesIn = (dataDir: string): Promise<void> =>
  until('the standby holds a copy', () => existsSync(join(dataDir, 'standby/lookalike.db')), TAKEOVER_MS)

/** @returns what was acknowledged, and when. */
async function writeFor(ms: number, pair: Pair, service: Service): Promise<{ name: string; at: number }[]> {
  const acknowledged: { name: string; at: number }[] = []
  for (const end = performance.now() + ms; performance.now() < end; ) {
    const { name } = await pair.write(service)
    if (name !== undefined) acknowledged.push({ name, at: performance.now() })
  }
  return acknowledged
}

describe('an owner and its standby', () => {
  withPair(
    'the standby takes over when the machine of the owner dies, at most a second is lost, and the old owner that comes back waits',
    async (pair) => {
      const first = await pair.startOwner()
      await untilWritten(pair, first)
      const second = pair.startStandby()
      await untilCopyLiesIn(pair.standby.dataDir)
      const acknowledged = await writeFor(WRITE_MS, pair, first)
      const diedAt = performance.now()
      await pair.kill(pair.owner)
      const taken = await second
      const kept = await pair.listRules(taken)
      const lost = acknowledged.filter(({ name }) => !kept.has(name))
      expect(acknowledged.length).toBeGreaterThan(10)
      for (const { at } of lost) expect(diedAt - at).toBeLessThan(LOST_MS_MAX)
      expect(kept.size).toBeGreaterThan(0)
      await untilWritten(pair, taken)

      pair.owner.log.length = 0
      const { dataDir, log } = pair.owner
      const back = pair.spawnOwner()
      await until(
        'the old owner is a standby',
        () => log.some((line) => line.includes('this node is a standby')),
        TAKEOVER_MS,
      )
      const aside = readdirSync(dataDir).filter((name) => name.startsWith('set-aside-'))
      expect(aside).toHaveLength(1)
      expect(readdirSync(join(dataDir, aside[0] ?? ''))).toContain('lookalike.db')
      expect(existsSync(join(dataDir, 'lookalike.db'))).toBe(false)
      back.kill('SIGTERM')
      expect(await back.exited).toBe(0)
      expect((await pair.write(taken)).status).toBe(201)
    },
  )

  withPair('without the bucket reads go on and writes are refused; with it they go on', async (pair) => {
    const owner = await pair.startOwner()
    await untilWritten(pair, owner)
    await pair.store.stop()
    await until(
      'writes are refused',
      async () => (await pair.write(owner)).error === 'read_only',
      TAKEOVER_MS,
    )
    expect((await pair.listRules(owner)).size).toBeGreaterThan(0)
    await pair.store.start()
    await untilWritten(pair, owner)
  })

  withPair('with SYNC_COPIES nothing that was acknowledged is lost', async (pair) => {
    const owner = await pair.startOwner({ SYNC_COPIES: '1' })
    await untilWritten(pair, owner)
    const next = pair.startStandby()
    await untilCopyLiesIn(pair.standby.dataDir)
    const acknowledged = await writeFor(WRITE_MS, pair, owner)
    await pair.kill(pair.owner)
    const kept = await pair.listRules(await next)
    expect(acknowledged.length).toBeGreaterThan(2)
    expect(acknowledged.filter(({ name }) => !kept.has(name))).toEqual([])
  })
})

describe('an owner that cannot copy ends with one sentence', () => {
  const store = new ObjectStore()
  beforeAll(() => store.start())
  afterAll(() => store[Symbol.asyncDispose]())

  async function fail(settings: Record<string, string>): Promise<string> {
    const dataDir = mkdtempSync(join(tmpdir(), 'lookalike-no-copies-'))
    try {
      const { child, log, logged } = spawnService(
        { dataDir },
        { settings: { ...store.settings(), COPIES_TO: 's3://copies/shop', LOG_LEVEL: 'error', ...settings } },
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
    'with a prefix of another install, and its database stays',
    async () => {
      const install = await newInstall()
      const lease = { install: 'that of somebody else', owner: 'x', seat: 'y', epoch: 3, renewal: 'z' }
      const client = new Bun.S3Client({
        ...{ endpoint: `http://127.0.0.1:${store.port}`, bucket: 'copies', region: 'us-east-1' },
        ...{ accessKeyId: 'S3RVER', secretAccessKey: 'S3RVER' },
      })
      await client.write('foreign/lease.json', JSON.stringify(lease))
      const { child, log, logged } = spawnService(install, {
        settings: { ...store.settings(), COPIES_TO: 's3://copies/foreign', LOG_LEVEL: 'error' },
      })
      expect(await child.exited).toBe(1)
      await logged
      expect(log.join('\n')).toMatch(/the lease of another install/)
      expect(existsSync(join(install.dataDir, 'lookalike.db'))).toBe(true)
      expect(readdirSync(install.dataDir).filter((name) => name.startsWith('set-aside'))).toEqual([])
      expect(await client.file('foreign/lease.json').json()).toEqual(lease)
      install.remove()
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
