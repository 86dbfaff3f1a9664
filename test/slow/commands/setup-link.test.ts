import { afterEach, beforeEach, expect, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ENV, PROGRAM } from './program.ts'

const CODE = /^[0-9a-hjkmnp-tv-z]{4}(-[0-9a-hjkmnp-tv-z]{4}){3}$/
let folder: string

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'lookalike-setup-link-'))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

const start = (words: string[], more: Record<string, string> = {}) =>
  Bun.spawn([...PROGRAM, ...words], {
    cwd: folder,
    env: { ...ENV, DATA_DIR: folder, LOG_LEVEL: 'error', ...more },
    stdout: 'pipe',
    stderr: 'pipe',
  })

async function run(words: string[], more?: Record<string, string>) {
  const child = start(words, more)
  const [stdout, stderr, code] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
    child.exited,
  ])
  return { stdout, stderr, code }
}

test('lookalike setup-link: a link for the running service, and none once there is an owner', async () => {
  expect(await run(['setup-link'])).toMatchObject({ stdout: '', code: 1 })
  await using service = start(['serve', '--port', '0', '--host', '0.0.0.0'])
  const { value } = await service.stdout.getReader().read()
  const port = /:(\d+)\n/.exec(new TextDecoder().decode(value))?.[1]
  const address = `http://127.0.0.1:${port}`

  const first = await run(['setup-link'])
  expect([first.stderr, first.code]).toEqual(['', 0])
  const [url = '', code = ''] = first.stdout.trim().split('#')
  expect(url).toBe(`${address}/setup`)
  expect(code).toMatch(CODE)

  const named = await run(['setup-link'], { BASE_URL: 'https://search.shop.example' })
  expect(named.stdout).toStartWith('https://search.shop.example/setup#')
  const setUp = async (given: string) => {
    const response = await fetch(`${address}/setup`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({
        ...{ code: given, email: 'ann@shop.test', store: 'Shop' },
        password: 'seven green kites over Bergen',
      }),
    })
    return response.status
  }
  expect(await setUp(code)).toBe(401)
  expect(await setUp(named.stdout.trim().split('#')[1] ?? '')).toBe(201)

  const over = await run(['setup-link'])
  expect([over.stdout, over.code]).toEqual(['', 1])
  expect(over.stderr).toContain('has an owner already')
  service.kill()
  // Without a terminal no link was shown.
  expect(await new Response(service.stderr).text()).not.toContain('setup#')
}, 60_000)
