import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ENV, PROGRAM } from './program.ts'

let folder: string

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'lookalike-command-'))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

const start = (words: string[], dataDir = folder) =>
  Bun.spawn([...PROGRAM, ...words], {
    cwd: folder,
    env: { ...ENV, DATA_DIR: dataDir, LOG_LEVEL: 'error' },
    stdout: 'pipe',
    stderr: 'pipe',
  })

/** Runs a command to its end; one that never ends fails its test by time. */
async function run(words: string[], dataDir?: string) {
  const child = start(words, dataDir)
  const [stdout, stderr, code] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
    child.exited,
  ])
  return { stdout, stderr, code }
}

async function serve(words: string[] = ['--port', '0']) {
  const child = start(['serve', ...words])
  const { value } = await child.stdout.getReader().read()
  const line = new TextDecoder().decode(value)
  const address = /^listening on (http:\/\/127\.0\.0\.1:\d+)\n$/.exec(line)?.[1]
  if (!address) throw new Error(`The service said ${line}`)
  return {
    address,
    port: new URL(address).port,
    async stop() {
      child.kill('SIGTERM')
      return child.exited
    },
  }
}

const SETUP = ['setup', '--email', 'me@shop.test', '--password', 'a long password', '--store', 'My shop']

describe('lookalike serve (contract 8.4)', () => {
  test('the first line names the address; SIGTERM ends it with 0; the data folder is its owner’s alone', async () => {
    const service = await serve()
    expect((await fetch(`${service.address}/health`)).status).toBe(200)
    expect(statSync(join(folder, 'lookalike.db')).mode & 0o077).toBe(0)
    expect(await service.stop()).toBe(0)
  }, 30_000)

  test('a port that another lookalike has is refused, and so is a second service on one folder', async () => {
    const service = await serve()
    const samePort = await run(['serve', '--port', service.port], join(folder, 'other'))
    expect(samePort).toMatchObject({ code: 1, stdout: '' })
    expect(samePort.stderr).toContain('the port is in use')
    const sameFolder = await run(['serve', '--port', '0'])
    expect(sameFolder).toMatchObject({ code: 1, stdout: '' })
    expect(sameFolder.stderr).toContain(`serves from ${folder}: it listens on ${service.address}`)
    await service.stop()
  }, 30_000)

  test('a port that another program has is refused, and nothing keeps running', async () => {
    const other = createServer().listen(0, '127.0.0.1')
    await new Promise((resolve) => other.once('listening', resolve))
    const { port } = other.address() as { port: number }
    expect(await run(['serve', '--port', String(port)])).toMatchObject({ code: 1, stdout: '' })
    other.close()
  }, 30_000)

  test.each([
    [['--host', '999.1.1.1', '--port', '0'], 1, 'not an address of this machine'],
    [['--fetch-allow-cidrs', '10.0.0.0/99'], 2, 'FETCH_ALLOW_CIDRS'],
    [['--trusted-proxies', 'proxy.example'], 2, 'TRUSTED_PROXIES: "proxy.example" is not an address block'],
    [['--port', 'http'], 2, 'PORT must be a whole number from 0 to 65535'],
    [['--log-level', 'loud'], 2, 'LOG_LEVEL must be one of trace'],
    [['--offline', 'maybe'], 2, '--offline must be 1 or 0, but got "maybe"'],
    [['--model-dir', '/nowhere'], 1, 'Cannot use the model in /nowhere'],
  ])(
    '%j ends with %d and says why',
    async (words, code, reason) => {
      const ended = await run(['serve', ...words])
      expect(ended).toMatchObject({ code, stdout: '' })
      expect(ended.stderr).toContain(reason)
    },
    30_000,
  )

  test('a data folder that holds something else is refused in one sentence', async () => {
    writeFileSync(
      join(folder, 'lookalike.db'),
      'this is not a database, and it is long enough to be one'.repeat(40),
    )
    const { code, stderr } = await run(['serve', '--port', '0'])
    expect(code).toBe(1)
    expect(stderr.trim().split('\n')).toEqual([expect.stringContaining('not a Lookalike database')])
  }, 30_000)
})

describe('lookalike setup, key create, store set-plan, healthcheck (contract 8.6)', () => {
  test('work beside a running service and name its address', async () => {
    const service = await serve()
    const { stdout, code } = await run(SETUP)
    expect(code).toBe(0)
    const [, lines = ''] = /^Copy these two lines.*\n([\s\S]+)$/m.exec(stdout) ?? []
    const copied = Bun.spawn(['sh', '-c', `${lines}\nprintf %s "$TOKEN"`], { stdout: 'pipe', stderr: 'pipe' })
    expect(await new Response(copied.stdout).text()).toMatch(/^[\w-]+\.[\w-]+\.[\w-]+$/)
    expect(await run(['store', 'set-plan', 'my-shop', 'basic'])).toMatchObject({ code: 0 })
    expect(await run(['store', 'rename', 'my-shop', ' Käthe’s lamps '])).toMatchObject({
      code: 0,
      stdout: 'my-shop is now called Käthe’s lamps\n',
    })
    const key = await run(['key', 'create', '--store', 'my-shop', '--origin', 'https://shop.test/', '--json'])
    expect(JSON.parse(key.stdout)).toMatchObject({
      key: expect.stringMatching(/^pk_live_/),
      origins: ['https://shop.test'],
    })
    const shown = (await run(['key', 'create', '--store', 'my-shop', '--origin', 'https://shop.test'])).stdout
    const value = /^pk_live_\w+/.exec(shown)?.[0]
    expect(shown).toContain(
      `\n  <script src="${service.address}/widget.js" data-key="${value}" async></script>\n`,
    )
    expect(shown).toContain(
      `\n  script-src ${service.address}; connect-src ${service.address}; img-src ${service.address}\n`,
    )
    expect(shown).toContain(`Shoppers cannot reach ${service.address}: set BASE_URL`)
    const health = await run(['healthcheck', '--port', service.port])
    expect(['ready', 'not_ready']).toContain(health.stdout.split('\n')[0] as string)
    expect(health.code).toBe(health.stdout.startsWith('ready') ? 0 : 1)
    await service.stop()
  }, 60_000)

  test('on a stopped install: JSON with the keys of contract 8.6; a second store of the name only with --new', async () => {
    const first = await run([...SETUP, '--json'])
    expect(Object.keys(JSON.parse(first.stdout)).sort()).toEqual([
      'client_id',
      'client_secret',
      'email',
      'slug',
      'store_id',
      'user_id',
    ])
    const refused = await run([...SETUP, '--json'])
    expect(refused).toMatchObject({ code: 1, stdout: '' })
    expect(refused.stderr).toContain('lookalike store new-secret my-shop')
    const again = JSON.parse((await run([...SETUP, '--new', '--json'])).stdout)
    expect(again).toMatchObject({ slug: 'my-shop-2', user_id: JSON.parse(first.stdout).user_id })
  }, 60_000)

  test.each([
    ['a wrong e-mail', [...SETUP.slice(0, 2), 'me', ...SETUP.slice(3)], 2],
    ['a missing option', ['setup', '--email', 'me@shop.test'], 2],
    ['an unknown plan', ['store', 'set-plan', 'my-shop', 'gold'], 2],
    ['an unknown store', ['store', 'set-plan', 'my-shop', 'basic'], 1],
    ['a store without a name', ['store', 'rename', 'my-shop', ' '], 2],
    ['nothing that answers', ['healthcheck', '--port', '1'], 1],
    ['an unknown command', ['sing'], 2],
    ['no command', [], 2],
    ['half a command', ['store'], 2],
    ['a plan that is none', [...SETUP, '--plan', 'gold'], 2],
  ])(
    '%s ends with its exit code and without a stack',
    async (_, words, code) => {
      const ended = await run(words)
      expect(ended.code).toBe(code)
      expect(ended.stderr + ended.stdout).not.toMatch(/\n\s+at |\$bunfs/)
    },
    30_000,
  )

  test.each(['serve', 'setup', 'demo', 'key create', 'store set-plan', 'healthcheck', 'openapi', 'version'])(
    '%s --help shows an example',
    async (command) => {
      const { stdout, code } = await run([...command.split(' '), '--help'])
      expect(code).toBe(0)
      expect(stdout).toContain('Example\n  lookalike')
    },
    30_000,
  )

  test('openapi prints the document and leaves nothing behind', async () => {
    const empty = join(folder, 'empty')
    mkdirSync(empty)
    const { stdout, code } = await run(['openapi'], empty)
    expect(code).toBe(0)
    expect(Object.keys(JSON.parse(stdout).paths)).toContain('/v1/search/text')
  }, 30_000)
})
