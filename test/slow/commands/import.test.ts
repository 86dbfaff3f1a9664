import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'bun:test'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Server } from 'bun'
import type { ImportPreview } from '../../../src/features/catalogue/imports/schema.ts'
import type { Job } from '../../../src/features/catalogue/jobs/schema.ts'
import { openDatabase } from '../../../src/platform/db/open.ts'
import {
  type Install,
  newInstall,
  newStore,
  PROGRAM,
  type Service,
  smallPicture,
  startService,
  UNPACK_DIR,
} from '../../robustness/service.ts'

/** The command and its service agree on this network, and take the secrets of the folder. */
const SETTINGS = { FETCH_ALLOW_CIDRS: '127.0.0.0/8', OFFLINE: '1', JWT_SECRET: '' }

/** All that a run without a fault says beside its result: which job it is, and how far it is where that takes some seconds. */
const JOB = /^Job [\w-]+: \d products\n(\d of \d products \(.+\n)*$/

let install: Install
let pictures: Server<undefined>
/** Holds every download back until it resolves. */
let gate = Promise.resolve()

beforeAll(() => {
  pictures = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    async fetch(request) {
      await gate
      const seed = Number(/(\d+)$/.exec(new URL(request.url).pathname)?.[1])
      return seed ? new Response(await smallPicture(seed)) : new Response('none', { status: 404 })
    },
  })
})
afterAll(() => pictures.stop(true))
beforeEach(async () => {
  install = await newInstall()
})
afterEach(() => install.remove())

function spawn(words: readonly string[], settings: Record<string, string> = {}) {
  const env = { PATH: process.env['PATH'] ?? '', LOOKALIKE_UNPACK_DIR: UNPACK_DIR, DATA_DIR: install.dataDir }
  return Bun.spawn([...PROGRAM, 'import', ...words], {
    env: { ...env, ...SETTINGS, ...settings },
    stdout: 'pipe',
    stderr: 'pipe',
  })
}

async function end(child: ReturnType<typeof spawn>) {
  const [stdout, stderr, code] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
    child.exited,
  ])
  return { stdout, stderr, code }
}

async function* readLines(stream: ReadableStream<Uint8Array>): AsyncGenerator<string, undefined> {
  let rest = ''
  const decoder = new TextDecoder()
  for await (const piece of stream) {
    const lines = (rest + decoder.decode(piece, { stream: true })).split('\n')
    rest = lines.pop() ?? ''
    yield* lines
  }
  return undefined
}

const findJob = ({ value = '' }: IteratorResult<string, undefined>) => /^Job (\S+): /.exec(value)?.[1] ?? ''

const run = (...words: string[]) => end(spawn(words))

/** Writes a table of products; a number is the seed of a picture. */
function writeTable(rows: readonly (readonly [string, number])[], name = 'products.csv'): string {
  const path = join(install.dataDir, '..', name)
  const lines = rows.map(([id, seed]) => `${id},${pictures.url.href}${seed},Mug,5,Mugs`)
  writeFileSync(path, ['product_id,image_url,name,price,category', ...lines].join('\n'))
  return path
}

const good = [
  ['sku-1', 1],
  ['sku-2', 2],
] as const
const bad = ['', 3] as const
const lost = ['sku-4', 0] as const
/** Its id would clear a terminal. */
const steering = ['sku-\x1b[2J', 4] as const

function listProducts(): string[] {
  const db = openDatabase(install.dataDir)
  const rows = db.prepare<[], { id: string }>('SELECT product_id AS id FROM products ORDER BY 1').all()
  db.close()
  return rows.map(({ id }) => id)
}

describe('beside a running service', () => {
  let service: Service
  beforeEach(async () => {
    service = await startService(install, { settings: SETTINGS })
  }, 60_000)
  afterEach(() => service.stop())

  test('imports through it, and says which rows failed', async () => {
    const clean = await run(writeTable(good))
    expect(clean).toMatchObject({ code: 0, stderr: expect.stringMatching(JOB) })
    expect(clean.stdout).toBe('2 products: 2 written, 0 unchanged, 0 failed\n')
    expect(listProducts()).toEqual(['sku-1', 'sku-2'])

    const mixed = await run(writeTable([...good, bad, lost, steering], 'mixed.csv'))
    expect(mixed).toMatchObject({ code: 1, stderr: expect.stringMatching(JOB) })
    expect(mixed.stdout).toStartWith('5 products: 0 written, 2 unchanged, 3 failed')
    expect(mixed.stdout).toMatch(/\n {2}line 4 {2}- {2}validation_error: /)
    expect(mixed.stdout).toMatch(/\n {2}product 4 of the file {2}sku-4 {2}\w+: /)
    expect(mixed.stdout).toMatch(/\n {2}line 6 {2}sku-\?\[2J {2}validation_error: /)
    // The service is still there.
    expect((await fetch(`${service.address}/health`)).ok).toBe(true)
  }, 60_000)

  test('prints the job as JSON, and a preview that writes nothing', async () => {
    const path = writeTable([...good, bad])
    const preview = await run(path, '--dry-run', '--json')
    expect(preview.code).toBe(1)
    expect(JSON.parse(preview.stdout) as ImportPreview).toMatchObject({ total: 3, valid: 2, invalid: 1 })
    const told = await run(path, '--dry-run')
    expect(told.stdout).toStartWith('3 products: 2 valid, 1 invalid, 0 hidden; nothing was written\n')
    expect(told.stdout).toContain('Against the store: 2 new, 0 changed, 0 unchanged\n')
    expect(told.stdout).toMatch(
      /\n {2}LINE +PRODUCT_ID +NAME +CATEGORY +PRICE +STOCK +PICTURE\n {2}2 +sku-1 /,
    )
    expect(told.stdout).toMatch(/\nRead as a plain table \(csv, utf-8\)\n {2}product_id +product_id\n/)
    expect(listProducts()).toEqual([])

    const job = await run(path, '--json')
    expect(job.code).toBe(1)
    expect(JSON.parse(job.stdout) as Job).toMatchObject({ type: 'import', succeeded: 2, failed: 1 })
  }, 60_000)

  test('takes the columns of fields one by one, and says what is wrong with them', async () => {
    const path = join(install.dataDir, 'foreign.csv')
    writeFileSync(path, `Nr.;Foto;Stoff\na-1;http://127.0.0.1:${pictures.port}/1;Wolle\n`)
    const told = await run(path, '--dry-run', '--map', 'product_id=Nr.', '--map', 'image_url=Foto')
    expect(told.stdout).toStartWith('1 product: 1 valid, 0 invalid, 0 hidden; nothing was written\n')
    expect(told.stdout).toContain("Keep one with --map 'metadata.stoff=Stoff'")
    expect(await run(path, '--map', 'Foto')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('--map takes FIELD=COLUMN, as in image_url=Photo, but got "Foto"'),
    })
    const unknown = await run(path, '--dry-run', '--map', 'picture=Foto')
    expect([unknown.code, unknown.stderr]).toEqual([
      1,
      expect.stringContaining('must be one of product_id, image_url'),
    ])
    const missing = await run(path, '--dry-run', '--map', 'product_id=Nummer', '--map', 'image_url=Foto')
    expect([missing.code, missing.stderr]).toEqual([
      1,
      expect.stringMatching(
        /^The file has no column Nummer\nNo column fills product_id\nName the column with --map product_id=COLUMN. The file has these:\n {2}COLUMN +FIRST VALUE\n {2}Nr\. +a-1\n/,
      ),
    ])
  }, 60_000)

  test('deletes what a file does not name any more, unless it is too much', async () => {
    const rows = Array.from({ length: 6 }, (_, n) => [`x-${n}`, 1] as const)
    expect((await run(writeTable(rows))).code).toBe(0)
    const five = await run(writeTable(rows.slice(0, 5), 'five.csv'), '--delete-missing')
    expect(five).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('1 product deleted that the file does not name'),
    })
    expect(listProducts()).toEqual(['x-0', 'x-1', 'x-2', 'x-3', 'x-4'])

    const three = writeTable(rows.slice(0, 3), 'three.csv')
    const told = await run(three, '--dry-run', '--delete-missing')
    expect(told.stdout).toContain('3 unchanged, 2 in the store but not in this file')
    const braked = await run(three, '--delete-missing')
    expect([braked.code, braked.stderr]).toEqual([
      1,
      expect.stringContaining(
        '2 of the 5 products of the store are gone from the file, more than 20 %; nothing was deleted',
      ),
    ])
    expect(listProducts()).toHaveLength(5)
    const forced = await run(three, '--delete-missing', '--force-delete', '--json')
    expect(JSON.parse(forced.stdout)).toMatchObject({ status: 'completed', deleted: 2 })
    expect(listProducts()).toEqual(['x-0', 'x-1', 'x-2'])
    expect(await run(three, '--force-delete')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('--force-delete goes with --delete-missing'),
    })
  }, 90_000)

  test('leaves the job running when it is interrupted, and finds it again', async () => {
    const { promise, resolve } = Promise.withResolvers<void>()
    gate = promise
    const path = writeTable(good)
    const child = spawn([path])
    const reader = readLines(child.stderr)
    const jobId = findJob(await reader.next())
    child.kill('SIGINT')
    const rest = await Array.fromAsync(reader)
    expect(await child.exited).toBe(1)
    expect(rest[0]).toBe(`The job ${jobId} goes on in the service.`)
    expect(rest[1]).toContain(`POST /v1/jobs/${jobId}/cancel`)

    const again = spawn([path, '--json'])
    expect(findJob(await readLines(again.stderr).next())).toBe(jobId)
    resolve()
    expect(JSON.parse(await new Response(again.stdout).text())).toMatchObject({ job_id: jobId, succeeded: 2 })
    expect(await again.exited).toBe(0)
    // After its end the same file begins anew.
    const third = JSON.parse((await run(path, '--json')).stdout) as Job
    expect(third).toMatchObject({ unchanged: 2 })
    expect(third.job_id).not.toBe(jobId)
  }, 60_000)

  test('asks for the store where there are several, and for the secret of the service', async () => {
    await newStore(install.dataDir, 'second@shop.test')
    const path = writeTable(good)
    expect(await run(path)).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('Name one of the stores'),
    })
    expect(await run(path, '--store', 'none')).toMatchObject({
      code: 1,
      stderr: 'There is no store "none"; lookalike store list shows them all\n',
    })
    const other = { JWT_SECRET: 'a secret that the service does not know' }
    expect(await end(spawn([path, '--store', 'robust'], other))).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('signs its tokens with another secret'),
    })
    expect(await run(path, '--store', 'robust')).toMatchObject({ code: 0 })
  }, 60_000)
})

test('starts a service of its own where none runs, and stops it', async () => {
  const path = writeTable([...good, lost])
  const ended = await run(path)
  expect(ended).toMatchObject({ code: 1, stderr: expect.stringMatching(JOB) })
  expect(ended.stdout).toStartWith('3 products: 2 written, 0 unchanged, 1 failed')
  expect(listProducts()).toEqual(['sku-1', 'sku-2'])
  expect(await run(writeTable(good, 'again.csv'))).toMatchObject({
    code: 0,
    stderr: expect.stringMatching(JOB),
  })
  const service = await startService(install, { untilReady: false })
  expect(await service.stop()).toBe(0)
}, 90_000)

test('keeps a job that is interrupted without a service for the next run', async () => {
  const { promise, resolve } = Promise.withResolvers<void>()
  gate = promise
  const path = writeTable(good)
  const child = spawn([path])
  const reader = readLines(child.stderr)
  const jobId = findJob(await reader.next())
  child.kill('SIGINT')
  const rest = await Array.fromAsync(reader)
  expect(await child.exited).toBe(1)
  expect(rest[0]).toBe(`The job ${jobId} goes on as soon as a service or another import runs on this folder.`)
  resolve()
  const again = await run(path, '--json')
  expect(JSON.parse(again.stdout)).toMatchObject({ job_id: jobId, succeeded: 2 })
  expect(again.code).toBe(0)
}, 60_000)

test('refuses a wrong command line with 2, and what cannot be imported with 1', async () => {
  const path = writeTable(good)
  const says = async (words: string[], code: number, words2: string) => {
    const ended = await run(...words)
    expect([words, ended.code, ended.stdout]).toEqual([words, code, ''])
    expect(ended.stderr).toContain(words2)
    expect(ended.stderr).not.toMatch(/\n\s+at /)
  }
  await says([], 2, 'takes FILE|FOLDER, but got none')
  await says([path, '--format', 'xls'], 2, '--format must be one of csv, tsv, ndjson, xml')
  await says([path, '--mapping', '["a"]'], 2, '--mapping must be a JSON object')
  await says([join(install.dataDir, 'nothing.csv')], 1, 'Cannot read')
  const folder = join(install.dataDir, '..', 'folder')
  mkdirSync(folder)
  await says([folder], 1, 'the folder holds neither a table nor pictures')
  const empty = join(install.dataDir, '..', 'empty.csv')
  writeFileSync(empty, '')
  await says([empty], 1, 'is empty')
  await says([path, '--store', 'none'], 1, 'There is no store "none"')
  await says([path, '--data-dir', join(install.dataDir, 'none')], 1, 'There is no install')
}, 60_000)

test('--help shows an example', async () => {
  expect((await run('--help')).stdout).toContain('Example\n  lookalike import products.csv')
}, 30_000)
