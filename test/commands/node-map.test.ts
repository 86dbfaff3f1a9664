import { afterAll, afterEach, beforeAll, expect, spyOn, test } from 'bun:test'
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { runCommand } from '../../src/commands/cli/run.ts'
import { type TestApp, testApp } from '../support/app.ts'
import { readRows } from '../support/seed.ts'

const MAP_TOKEN = 'what-the-proxies-show'
const folder = mkdtempSync(join(tmpdir(), 'lookalike-node-map-'))
const keep = join(folder, 'kept')
const out = join(folder, 'stores.map')

let app: TestApp
let node: ReturnType<typeof Bun.serve>
let address: string
beforeAll(async () => {
  app = testApp({}, { MAP_TOKEN })
  for (const name of ['lamps', 'chairs']) await app.store(name)
  node = Bun.serve({ hostname: '127.0.0.1', port: 0, fetch: (request) => app.http.handle(request) })
  address = `http://127.0.0.1:${node.port}`
})
afterAll(async () => {
  await node.stop(true)
  await app.close()
  rmSync(folder, { recursive: true, force: true })
})

const log = spyOn(console, 'log')
const error = spyOn(console, 'error')
const write = spyOn(process.stdout, 'write')
afterEach(() => {
  for (const spy of [log, error, write]) spy.mockReset()
})
afterAll(() => {
  for (const spy of [log, error, write]) spy.mockRestore()
})

/** Runs `lookalike node map`, and gives what it says. */
async function run(words: string[], env: Record<string, string> = { MAP_TOKEN }) {
  for (const spy of [log, error, write]) spy.mockImplementation((() => true) as never)
  const code = await runCommand(['node', 'map', ...words], env)
  const said = (spy: typeof log) => spy.mock.calls.map(([text]) => String(text)).join('\n')
  const told = {
    code,
    said: said(log),
    complaints: said(error),
    printed: said(write as unknown as typeof log),
  }
  for (const spy of [log, error, write]) spy.mockReset()
  return told
}

const idOf = (slug: string) => String(readRows<{ id: string }>(app, 'stores', { slug })[0]?.id)
const LINES = () =>
  `# Which node serves what; written by Lookalike.
lookalike.test lookalike.test
lamps.search.example lookalike.test
/lamps lookalike.test
client:${idOf('lamps')} lookalike.test
chairs.search.example lookalike.test
/chairs lookalike.test
client:${idOf('chairs')} lookalike.test
`

const haproxy = () => ['--join', address, '--format', 'haproxy', '--hosts', 'search.example']

test('joins the map of a node, and replaces the file only when something has changed', async () => {
  const first = await run([...haproxy(), '--keep', keep, '--out', out])
  expect(first).toEqual({
    ...{ code: 0, said: `written: ${out}, 2 stores on 1 node`, complaints: '', printed: '' },
  })
  expect(readFileSync(out, 'utf8')).toBe(LINES())
  expect(statSync(out).mode & 0o777).toBe(0o644)
  const { mtimeMs } = statSync(out)
  const again = await run([...haproxy(), '--keep', keep, '--out', out])
  expect(again.said).toBe(`unchanged: ${out}, 2 stores on 1 node`)
  expect(statSync(out).mtimeMs).toBe(mtimeMs)
  expect(readdirSync(folder).sort()).toEqual(['kept', 'stores.map'])
})

test('prints it without a file, as JSON that can be joined again', async () => {
  const { printed, code } = await run(['--join', address])
  expect(code).toBe(0)
  expect((JSON.parse(printed) as { count: number }).count).toBe(2)
  const file = join(folder, 'a.json')
  writeFileSync(file, printed)
  const joined = await run(['--join', file, '--format', 'haproxy', '--hosts', 'search.example'], {})
  expect(joined.printed.replaceAll('\n\n', '\n')).toBe(LINES())
  rmSync(file)
})

test('keeps the last map of a node that does not answer', async () => {
  await run([...haproxy(), '--keep', keep, '--out', out])
  await node.stop(true)
  const { code, said, complaints } = await run([...haproxy(), '--keep', keep, '--out', out])
  expect([code, said]).toEqual([0, `unchanged: ${out}, 2 stores on 1 node`])
  expect(complaints).toMatch(
    /^http:\/\/127\.0\.0\.1:\d+ does not tell its map \(.+\): its map of \d{4}-.+Z stays$/,
  )
  // Nothing was kept: nothing is written.
  const none = await run([...haproxy(), '--out', join(folder, 'none.map')])
  expect(none.code).toBe(1)
  expect(none.complaints).toContain('nothing is known of its stores')
  expect(none.complaints).toContain('nothing was written')
  expect(readdirSync(folder)).not.toContain('none.map')
  node = Bun.serve({
    ...{ hostname: '127.0.0.1', port: Number(new URL(address).port) },
    fetch: (request) => app.http.handle(request),
  })
})

test('a node with another token is known by its last map, and the token is in no message', async () => {
  const other = 'another-token-of-proxies'
  const { code, complaints } = await run([...haproxy(), '--keep', keep, '--out', out], { MAP_TOKEN: other })
  expect(code).toBe(0)
  expect(complaints).toContain('(it has another MAP_TOKEN)')
  expect(complaints).not.toContain(other)
})

test.each([
  [['--format', 'xml'], {}, 2, '--format must be one of json, haproxy, nginx, caddy, prometheus'],
  [['--hosts', 'Search.Example'], {}, 2, '--hosts must be a domain in small letters, like search.example'],
  [['--keep', '/tmp'], {}, 2, '--keep goes with --join URL'],
  [['--join', 'https://node-a.example'], {}, 1, 'Set MAP_TOKEN or MAP_TOKEN_FILE'],
  [['--join', 'https://u:p@node-a.example'], { MAP_TOKEN }, 1, 'is not the address of a node'],
  [['--join', 'https://node-a.example?x=1'], { MAP_TOKEN }, 1, 'is not the address of a node'],
  [['--join', '/nowhere/map.json'], {}, 1, 'Cannot read /nowhere/map.json'],
  [['--join', import.meta.path], {}, 1, `Cannot read ${import.meta.path}`],
] as const)('%p is refused in one sentence', async (words, env, code, complaint) => {
  const refused = await run([...words], env)
  expect(refused.code).toBe(code)
  expect(refused.complaints).toContain(complaint)
  expect(refused.printed).toBe('')
})

test('a file that is no map, and a target that is no file, are refused', async () => {
  const wrong = join(folder, 'wrong.json')
  writeFileSync(wrong, '{"nodes":["https://x y"],"stores":[]}')
  expect((await run(['--join', wrong], {})).complaints).toContain('is not a map in JSON')
  const refused = await run([...haproxy(), '--out', folder])
  expect([refused.code, refused.complaints]).toEqual([1, `${folder} is not a file`])
  const nowhere = await run([...haproxy(), '--out', '/nowhere/stores.map'])
  expect([nowhere.code, nowhere.complaints.startsWith('Cannot write /nowhere/stores.map: ')]).toEqual([
    1,
    true,
  ])
  rmSync(wrong)
})
