import { afterAll, beforeAll, expect, test } from 'bun:test'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startService } from '../../robustness/service.ts'
import { ENV, PROGRAM } from './program.ts'

const PICTURES = join(import.meta.dir, '../../../src/features/catalogue/demo/pictures')

let dataDir: string
let service: Awaited<ReturnType<typeof startService>>

async function run(...words: string[]) {
  const child = Bun.spawn([...PROGRAM, ...words], {
    env: { ...ENV, DATA_DIR: dataDir },
    stdout: 'pipe',
    stderr: 'pipe',
  })
  const [stdout, stderr, code] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
    child.exited,
  ])
  return { stdout, stderr, code }
}

beforeAll(async () => {
  dataDir = mkdtempSync(join(tmpdir(), 'lookalike-search-'))
  const setup = [
    'setup',
    '--email',
    'me@shop.test',
    '--password',
    'correct horse battery',
    '--store',
    'My shop',
  ]
  const { client_id, client_secret } = JSON.parse((await run(...setup, '--json')).stdout) as Record<
    string,
    string
  >
  service = await startService({ dataDir }, { settings: { JWT_SECRET: '' } })
  const form = new URLSearchParams({
    grant_type: 'client_credentials',
    client_id: client_id ?? '',
    client_secret: client_secret ?? '',
  })
  const granted = await fetch(`${service.address}/oauth/token`, { method: 'POST', body: form })
  const { access_token } = (await granted.json()) as { access_token: string }
  const headers = { authorization: `Bearer ${access_token}` }
  await fetch(`${service.address}/v1/products/demo`, { method: 'POST', headers })
}, 120_000)
afterAll(async () => {
  await service.stop()
  rmSync(dataDir, { recursive: true, force: true })
}, 30_000)

test('finds by words, by a picture and by both', async () => {
  const words = await run('search', 'red mug')
  expect(words.code).toBe(0)
  const [head, first] = words.stdout.split('\n')
  expect(head).toMatch(/^SCORE +PRODUCT_ID +NAME +CATEGORY +PRICE$/)
  expect(first).toMatch(/^0\.\d\d +demo-mug-red +Ember stoneware mug +mugs +14\.5 EUR$/)

  const picture = await run('search', join(PICTURES, 'query-mug.webp'), '--limit', '1', '--json')
  const answer = JSON.parse(picture.stdout) as { count: number; results: { product_id: string }[] }
  expect(answer.count).toBe(1)
  expect(answer.results[0]?.product_id).toStartWith('demo-mug-')

  const both = await run('search', join(PICTURES, 'query-mug.webp'), 'black', '--store', 'my-shop')
  expect(both.stdout.split('\n')[1]).toContain('demo-mug-')
}, 60_000)

test('refuses what it cannot search for, with words', async () => {
  expect(await run('search', 'photo.jpg')).toMatchObject({ code: 2, stdout: '' })
  expect((await run('search', 'photo.jpg')).stderr).toStartWith('There is no file photo.jpg\n')
  expect((await run('search', 'red', 'mug')).stderr).toStartWith('There is no file red\n')
  expect((await run('search')).stderr).toStartWith('lookalike search takes WORDS|FILE [WORDS], but got none')
  const limit = await run('search', 'mug', '--limit', '0')
  expect(limit.code).toBe(2)
  expect(limit.stderr).toStartWith('--limit must be a whole number from 1 to 100')
  const notes = join(dataDir, 'notes.txt')
  writeFileSync(notes, 'no picture')
  const wrong = await run('search', notes)
  expect(wrong.code).toBe(1)
  expect(wrong.stderr).toContain('picture')
  expect((await run('search', 'mug', '--store', 'none')).stderr).toContain('There is no store')
}, 60_000)
