import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { version } from '../../../src/version.ts'
import { ENV, PROGRAM } from './program.ts'

let folder: string

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'lookalike-lists-'))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

const env = () => ({ ...ENV, DATA_DIR: join(folder, 'data'), LOG_LEVEL: 'info' })

/** Runs a command to its end. */
async function run(...words: string[]) {
  const child = Bun.spawn([...PROGRAM, ...words], {
    ...{ cwd: folder, env: env() },
    ...{ stdout: 'pipe', stderr: 'pipe' },
  })
  const [stdout, stderr, code] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
    child.exited,
  ])
  return { stdout, stderr, code }
}

const setup = (email: string, store: string, ...words: string[]) =>
  run('setup', '--email', email, '--password', 'a long password', '--store', store, ...words)

describe('an install with two stores', () => {
  test('store list, store new-secret and user list tell of them, also as JSON', async () => {
    const made = JSON.parse((await setup('me@shop.test', 'My shop', '--json')).stdout)
    const second = await setup('me@shop.test', 'Other', '--plan', 'basic')
    expect(second.stdout).toContain('plan           basic (5,000 products, 60 requests a minute)')

    const stores = await run('store', 'list')
    expect([stores.code, stores.stderr]).toEqual([0, ''])
    expect(stores.stdout).toMatch(/^SLUG +NAME +PLAN +STATE +PRODUCTS +CLIENT_ID +OWNERS\n/)
    expect(stores.stdout).toContain(made.client_id)
    expect(JSON.parse((await run('store', 'list', '--json')).stdout)).toEqual([
      expect.objectContaining({ slug: 'my-shop', plan: 'enterprise', owners: ['me@shop.test'] }),
      expect.objectContaining({ slug: 'other', plan: 'basic', products: 0 }),
    ])

    const renewed = await run('store', 'new-secret', 'my-shop')
    expect(renewed.stdout).toMatch(/client_secret {2}[\w-]{43} {3}\(shown only now\)/)
    const json = JSON.parse((await run('store', 'new-secret', 'my-shop', '--json')).stdout)
    expect(Object.keys(json)).toEqual(['store_id', 'slug', 'client_id', 'client_secret'])
    expect(json.client_secret).not.toBe(made.client_secret)
    expect((await run('store', 'new-secret', 'nowhere')).code).toBe(1)

    expect((await run('user', 'list')).stdout).toMatch(
      /^me@shop\.test +my-shop \(owner\), other \(owner\) +yes +no +never$/m,
    )
    expect(JSON.parse((await run('user', 'list', '--json')).stdout)).toEqual([
      {
        ...{ user_id: made.user_id, email: 'me@shop.test', name: 'me' },
        ...{ is_super_admin: true, has_2fa: false, last_sign_in_at: null },
        created_at: expect.stringMatching(/Z$/),
        stores: [
          { slug: 'my-shop', role: 'owner' },
          { slug: 'other', role: 'owner' },
        ],
      },
    ])
  }, 60_000)
})

describe('the models of an install', () => {
  test('are listed without a service, and what cannot be done says what to do', async () => {
    expect((await run('model', 'list')).code).toBe(1)
    await setup('me@shop.test', 'My shop')
    const listed = await run('model', 'list', '--json')
    const { in_use, models } = JSON.parse(listed.stdout)
    expect([in_use, models[0].state, models[0].is_bundled]).toEqual(['lookalike-clip-v1', 'in_use', true])
    expect((await run('model', 'status')).stdout).toBe('lookalike-clip-v1 is in use.\n')
    const expectRefusal = async (words: string[], code: number, sentence: string) => {
      const refused = await run('model', ...words)
      expect([words, refused.code, refused.stdout]).toEqual([words, code, ''])
      expect(refused.stderr).toContain(sentence)
    }
    const byHand = 'run: lookalike model add /path/to/clip-vit-base-patch32'
    await Promise.all([
      expectRefusal(['fetch'], 2, 'give --hub owner/name@COMMIT'),
      expectRefusal(['fetch', 'clip-vit-base-patch32', '--offline'], 1, byHand),
      expectRefusal(['add', join(folder, 'nothing')], 2, 'There is no folder'),
      expectRefusal(['use', 'any', '--back'], 2, 'or give --back'),
    ])
    // These look whether a service runs, for which they hold the lock of the folder for a moment.
    await expectRefusal(['use', 'any', '--detach'], 1, 'lookalike serve')
    await expectRefusal(['remove', 'lookalike-clip-v1'], 1, 'it is in use')
    await expectRefusal(['remove', '../data'], 2, 'There is no model')
  }, 60_000)
})

describe('what was mistyped', () => {
  test.each([
    [['versoin'], 'There is no command "versoin". Did you mean "lookalike version"?'],
    [['usr', 'list'], 'Did you mean "lookalike user list"?'],
    [['store', 'lits'], 'There is no command "store lits". Did you mean "lookalike store list"?'],
    [['store'], 'lookalike store needs a second word:'],
    [['serve', '--prot', '9'], 'There is no option --prot; did you mean --port?'],
    [['setup'], '--email ADDRESS is missing\n--store NAME is missing\nThe password is missing'],
  ])(
    '%j is told on stderr, with exit code 2',
    async (words, text) => {
      const ended = await run(...words)
      expect(ended).toMatchObject({ code: 2, stdout: '' })
      expect(ended.stderr).toContain(text)
    },
    30_000,
  )

  test('half a command with --help shows its group', async () => {
    const { code, stdout } = await run('store', '--help')
    expect([code, stdout.includes('lookalike store set-plan SLUG PLAN: ')]).toEqual([0, true])
  }, 30_000)
})

test('version names version, commit and its date', async () => {
  const { commit, date, ...rest } = JSON.parse((await run('version', '--json')).stdout)
  // Only an executable of a release knows a key.
  expect(rest).toEqual({ version, release_key: null })
  // The sources know of no build, and a build outside a checkout of no commit.
  const isBuilt = process.env['LOOKALIKE_EXECUTABLE'] !== undefined
  expect(commit).toMatch(isBuilt ? /^([0-9a-f]{40}|unknown)$/ : /^unknown$/)
  expect(date).toMatch(isBuilt ? /^(\d{4}-\d\d-\d\d|unknown)$/ : /^unknown$/)
  const lines = (await run('version')).stdout.split('\n')
  expect(lines).toEqual([version, `commit  ${commit}`, `date    ${date}`, ''])
}, 30_000)

test('licences prints the whole text, and a reader that has seen enough is no failure', async () => {
  const { code, stdout } = await run('licences')
  expect(code).toBe(0)
  expect(stdout).toStartWith('Lookalike: licences and notices\n')
  expect(stdout.length).toBeGreaterThan(500_000)
  const cut = Bun.spawn(['sh', '-c', '"$0" "$@" licences | head -1', ...PROGRAM], {
    ...{ cwd: folder, env: env(), stdout: 'pipe', stderr: 'pipe' },
  })
  expect(await new Response(cut.stdout).text()).toBe('Lookalike: licences and notices\n')
  expect(await new Response(cut.stderr).text()).toBe('')
}, 30_000)

describe('lookalike serve on a terminal', () => {
  test('shows a banner and readable lines, and still the one line on stdout', async () => {
    let seen = ''
    const child = Bun.spawn([...PROGRAM, 'serve', '--port', '0'], {
      ...{ cwd: folder, env: { ...env(), NO_COLOR: '1' } },
      terminal: {
        data(_, bytes) {
          seen += new TextDecoder().decode(bytes)
          if (seen.includes('stops it') && seen.includes('index loaded')) child.kill('SIGTERM')
        },
      },
    })
    expect(await child.exited).toBe(0)
    child.terminal?.close()
    expect(seen).toMatch(/^listening on http:\/\/127\.0\.0\.1:\d+\r\n/m)
    expect(seen).toContain(`Data folder     ${join(folder, 'data')}`)
    expect(seen).toContain('Nobody owns this installation yet.')
    expect(seen).toMatch(/^ {4}http:\/\/127\.0\.0\.1:\d+\/setup#(?:[0-9a-z]{4}-?){4}\r\n/m)
    expect(seen).toMatch(/^\d\d:\d\d:\d\d INFO {2}index loaded {2}pictures=0/m)
    expect(seen).not.toContain('{"level"')
  }, 30_000)

  test('elsewhere the log is JSON, without a banner', async () => {
    const child = Bun.spawn([...PROGRAM, 'serve', '--port', '0'], {
      ...{ cwd: folder, env: env(), stdout: 'pipe', stderr: 'pipe' },
    })
    const log = new Response(child.stderr).text()
    const { value } = await child.stdout.getReader().read()
    expect(new TextDecoder().decode(value)).toMatch(/^listening on http:\/\/127\.0\.0\.1:\d+\n$/)
    child.kill('SIGTERM')
    expect(await child.exited).toBe(0)
    for (const line of (await log).trimEnd().split('\n')) expect(JSON.parse(line)).toHaveProperty('level')
  }, 30_000)
})
