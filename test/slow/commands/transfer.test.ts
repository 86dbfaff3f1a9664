import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'bun:test'
import { mkdirSync, readdirSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import type { Server } from 'bun'
import type { ExportedProduct } from '../../../src/features/catalogue/exports/schema.ts'
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

/** The commands and their service agree on this network, and take the secrets of the folder. */
const SETTINGS = { FETCH_ALLOW_CIDRS: '127.0.0.0/8', OFFLINE: '1', JWT_SECRET: '' }

let install: Install
let outer: string
let pictures: Server<undefined>
let downloads = 0

beforeAll(() => {
  pictures = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    async fetch(request) {
      downloads++
      return new Response(await smallPicture(Number(/(\d+)$/.exec(new URL(request.url).pathname)?.[1])))
    },
  })
})
afterAll(() => pictures.stop(true))
beforeEach(async () => {
  install = await newInstall()
  outer = join(install.dataDir, '..')
})
afterEach(() => install.remove())

const spawn = (words: readonly string[], dataDir = install.dataDir) =>
  Bun.spawn([...PROGRAM, ...words], {
    env: {
      PATH: process.env['PATH'] ?? '',
      LOOKALIKE_UNPACK_DIR: UNPACK_DIR,
      DATA_DIR: dataDir,
      ...SETTINGS,
    },
    stdout: 'pipe',
    stderr: 'pipe',
  })

async function run(words: readonly string[], dataDir = install.dataDir) {
  const child = spawn(words, dataDir)
  const [stdout, stderr, code] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
    child.exited,
  ])
  return { stdout, stderr, code }
}

const toProducts = (text: string): ExportedProduct[] =>
  text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))

function count(what: string): number {
  const db = openDatabase(install.dataDir)
  const row = db.prepare<[], { n: number }>(`SELECT count(*) AS n FROM ${what}`).get()
  db.close()
  return row?.n ?? 0
}

const leftovers = () =>
  [outer, join(install.dataDir, 'imports')].flatMap((path) =>
    readdirSync(path).filter((name) => /\.(part|json|new)$/.test(name)),
  )

/** Writes a table; its first rows are good, and all others fail at once because they name no picture. */
function writeTable(rows: number, good: number): string {
  const path = join(outer, 'large.csv')
  // Long enough that the file is cut into parts.
  const note = 'n'.repeat(900)
  const lines = Array.from(
    { length: rows },
    (_, n) => `sku-${n},${n < good ? `${pictures.url.href}${n + 1}` : ''},"${note}"`,
  )
  writeFileSync(path, ['product_id,image_url,description', ...lines].join('\n'))
  return path
}

describe('export and import', () => {
  test('what one install exports with vectors goes into another without a download, and gives it again', async () => {
    const folder = join(outer, 'folder')
    mkdirSync(join(folder, 'mugs'), { recursive: true })
    await Bun.write(join(folder, 'mugs', 'red mug.png'), await smallPicture(1))
    await Bun.write(join(folder, 'cap.png'), await smallPicture(2))
    writeFileSync(join(folder, 'readme.txt'), 'x')
    symlinkSync('/etc/hostname', join(folder, 'link.png'))
    const imported = await run(['import', folder])
    expect(imported).toMatchObject({ code: 0 })
    expect(imported.stderr).toContain('1 symbolic links and special files were left out')
    expect(imported.stderr).toContain('1 files that are no pictures were left out')

    const path = join(outer, 'all.ndjson.gz')
    expect(await run(['export', path, '--vectors'])).toMatchObject({ code: 0, stdout: '' })
    expect((statSync(path).mode & 0o777).toString(8)).toBe('600')
    const products = toProducts(gunzipSync(await Bun.file(path).bytes()).toString())
    expect(products.map(({ product_id, metadata }) => [product_id, metadata])).toEqual([
      ['cap', { name: 'cap' }],
      ['red-mug', { name: 'red mug', category: 'mugs' }],
    ])
    const again = await run(['export', path])
    expect([again.code, again.stderr]).toEqual([1, `${path} is there already: --force replaces it\n`])
    expect(await run(['export', path, '--force'])).toMatchObject({ code: 0 })

    // Uploaded pictures lie in their install: another store of it takes them over.
    const plain = join(outer, 'vectors.ndjson')
    writeFileSync(plain, products.map((product) => JSON.stringify(product)).join('\n'))
    await newStore(install.dataDir, 'second@shop.test')
    const stores = ['--store', 'robust-2']
    expect(await run(['import', plain, ...stores])).toMatchObject({ code: 0 })
    expect(count('pictures WHERE is_given = 1')).toBe(2)
    const second = await run(['export', '-', '--vectors', ...stores])
    const withoutUrls = ({ product_id, pictures: [picture] = [] }: ExportedProduct) => [
      product_id,
      picture?.vector,
      picture?.content_hash,
    ]
    expect(toProducts(second.stdout).map(withoutUrls)).toEqual(products.map(withoutUrls))
    expect(second.stderr).not.toContain('\x1b')
    expect(leftovers()).toEqual([])
  }, 120_000)

  test('a fresh install takes products with addresses on the web without any download', async () => {
    const path = join(outer, 'few.csv')
    writeFileSync(path, `product_id,image_url\na,${pictures.url.href}1\nb,${pictures.url.href}2`)
    expect(await run(['import', path])).toMatchObject({ code: 0 })
    const lines = (await run(['export', '--vectors'])).stdout
    const other = await newInstall()
    try {
      const file = join(outer, 'moved.ndjson')
      writeFileSync(file, lines)
      downloads = 0
      expect(await run(['import', file], other.dataDir)).toMatchObject({ code: 0 })
      expect(downloads).toBe(0)
      expect((await run(['export', '--vectors'], other.dataDir)).stdout).toBe(lines)
    } finally {
      other.remove()
    }
  }, 120_000)

  test('a file that cannot be written is told, and a reader that leaves is no fault', async () => {
    const missing = await run(['export', join(outer, 'none', 'x.ndjson')])
    expect([missing.code, missing.stdout]).toEqual([1, ''])
    expect(missing.stderr).toContain('Cannot write')
    expect((await run(['export', outer])).stderr).toContain('is not a file')
    const child = spawn(['export'])
    await child.stdout.cancel()
    expect(await new Response(child.stderr).text()).toBe('')
    await child.exited
  }, 60_000)
})

describe('a large file', () => {
  let service: Service
  beforeEach(async () => {
    service = await startService(install, { settings: SETTINGS })
  }, 60_000)
  afterEach(() => service.stop())

  test('goes on after kill -9 with the parts that were not acknowledged, and does nothing twice', async () => {
    const path = writeTable(11_000, 3)
    const child = spawn(['import', path, '--json'])
    let told = ''
    const decoder = new TextDecoder()
    for await (const piece of child.stderr) {
      told += decoder.decode(piece)
      if (told.includes('Part 1 of 3')) break
    }
    child.kill('SIGKILL')
    await child.exited
    const ended = await run(['import', path, '--json'])
    const result = JSON.parse(ended.stdout)
    expect(ended.code).toBe(1)
    expect(result).toMatchObject({ status: 'completed', total: 11_000, succeeded: 3, failed: 10_997 })
    expect(result.jobs.length).toBe(3)
    expect(result.errors[0]).toMatchObject({ place: 'line 5', product_id: 'sku-3' })
    expect(ended.stderr).not.toContain('\x1b')
    // The items of the three products left nothing behind.
    expect([count('jobs'), count('job_items'), count('products')]).toEqual([3, 10_997, 3])
    expect(leftovers()).toEqual([])
    // Once it is over, the same command begins anew.
    const anew = await run(['import', path])
    expect(anew.stdout).toStartWith('11,000 products: 0 written, 3 unchanged, 10997 failed\n')
    expect(anew.stdout).toMatch(/\nAll of them: GET \/v1\/jobs\/\S+\/errors, GET/)
  }, 180_000)

  test('a dry run adds up its parts', async () => {
    const preview = JSON.parse(
      (await run(['import', writeTable(11_000, 10_500), '--dry-run', '--json'])).stdout,
    )
    expect(preview).toMatchObject({ total: 11_000, valid: 10_500, invalid: 500, errors_truncated: true })
    expect(preview.diff).toEqual({ new: 10_500, changed: 0, unchanged: 0, gone: 0 })
    expect([preview.errors.length, preview.errors[0].line]).toEqual([20, 10_502])
    expect([count('products'), count('jobs')]).toEqual([0, 0])
  }, 120_000)
})
