import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openDatabase } from '../../../src/platform/db/open.ts'
import { recordBar } from '../../robustness/bars.ts'
import { ENV, PROGRAM } from './program.ts'

const SETUP = ['setup', '--email', 'me@shop.test', '--password', 'a long password', '--store', 'My shop']
let folder: string
/** The data folder; what is made beside it would be found. */
let data: string

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'lookalike-install-'))
  data = join(folder, 'data')
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

const start = (words: string[]) =>
  Bun.spawn([...PROGRAM, ...words], {
    cwd: folder,
    env: { ...ENV, DATA_DIR: data, LOG_LEVEL: 'warn', PORT: '0' },
    stdout: 'pipe',
    stderr: 'pipe',
  })

/** Runs a command to its end; one that never ends fails its test by time. */
async function run(...words: string[]) {
  const child = start(words)
  const [stdout, stderr, code] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
    child.exited,
  ])
  return { stdout, stderr, code }
}

/** Starts the service, stops it once it listens, and gives what it wrote to its log. */
async function served(): Promise<string> {
  const child = start(['serve'])
  const log = new Response(child.stderr).text()
  const { value } = await child.stdout.getReader().read()
  expect(new TextDecoder().decode(value)).toStartWith('listening on ')
  child.kill('SIGTERM')
  expect(await child.exited).toBe(0)
  return log
}

const secret = (name: string) => join(data, 'secrets', name)
const inDatabase = (sql: string) => {
  const db = openDatabase(data)
  db.exec(sql)
  db.close()
}

/** What each command answers that would work on the install. */
const COMMANDS = [['serve'], SETUP, ['outbox'], ['user', 'unlock', 'me@shop.test']]

/** Every command refuses in the same words, without a stack. @returns what they say. */
async function refusals(): Promise<string> {
  const ended = await Promise.all(COMMANDS.map((words) => run(...words)))
  for (const { code, stdout } of ended) expect([code, stdout]).toEqual([1, ''])
  const [words = '', ...others] = ended.map(({ stderr }) => stderr)
  expect(new Set(others)).toEqual(new Set([words]))
  expect(words).not.toMatch(/\n\s+at |\$bunfs/)
  return words
}

describe('a folder without an install', () => {
  test.each([
    'outbox',
    'inbox',
    'store list',
    'store new-secret my-shop',
    'key list',
    'user list',
    'user verify me@shop.test',
    'user invite me@shop.test',
    'user reset-password me@shop.test',
    'user reset-2fa me@shop.test',
    'user unlock me@shop.test',
    'store set-plan my-shop basic',
    'store rename my-shop lamps',
    'store clear-ip-whitelist my-shop',
    'key create --store my-shop --origin https://shop.test',
    'secret reset',
  ])('%s: says so with exit code 1 and makes nothing', async (words) => {
    const { code, stdout, stderr } = await run(...words.split(' '))
    expect([code, stdout]).toEqual([1, ''])
    expect(stderr).toBe(
      `There is no install in ${data}. Create one with "lookalike setup", or name another folder with --data-dir or DATA_DIR.\n`,
    )
    expect(readdirSync(folder)).toEqual([])
  })

  test('an empty file in the place of the database is none either', async () => {
    mkdirSync(data)
    writeFileSync(join(data, 'lookalike.db'), '')
    expect((await run('outbox')).stderr).toStartWith('There is no install')
    expect(readdirSync(data)).toEqual(['lookalike.db'])
  })

  test.each([
    ['a weak password', ['--password', 'password123'], 'most used passwords'],
    ['a bad slug', ['--password', 'a long password', '--slug', 'No Slug'], 'not a valid slug'],
  ])('setup with %s makes none', async (_, words, reason) => {
    const ended = await run('setup', '--email', 'me@shop.test', '--store', 'My shop', ...words)
    expect(ended).toMatchObject({ code: 2, stdout: '' })
    expect(ended.stderr).toContain(reason)
    expect(readdirSync(folder)).toEqual([])
  })

  test('setup and serve make one', async () => {
    expect((await run(...SETUP)).code).toBe(0)
    expect((await run('outbox')).stdout).toBe('No mails are waiting.\n')
    rmSync(data, { recursive: true })
    await served()
    expect((await run('outbox')).stdout).toBe('No mails are waiting.\n')
  }, 30_000)
})

describe('a database that is gone beside what the install keeps elsewhere', () => {
  beforeEach(async () => {
    expect((await run(...SETUP)).code).toBe(0)
  })

  test.each([
    ['missing', () => rmSync(join(data, 'lookalike.db'))],
    ['empty', () => truncateSync(join(data, 'lookalike.db'))],
    [
      'a database without a table',
      () => {
        inDatabase('PRAGMA journal_mode = DELETE')
        rmSync(join(data, 'lookalike.db'))
        Bun.spawnSync([
          process.execPath,
          '-e',
          `import { Database } from 'bun:sqlite'
           const db = new Database(${JSON.stringify(join(data, 'lookalike.db'))}, { create: true })
           db.run('CREATE TABLE t (a)'); db.run('DROP TABLE t'); db.run('VACUUM'); db.close()`,
        ])
        expect(existsSync(join(data, 'lookalike.db'))).toBe(true)
      },
    ],
  ])(
    '%s: every command refuses, says what to do, and leaves everything',
    async (_, harm) => {
      harm()
      const before = readdirSync(data, { recursive: true }).sort()
      const words = await refusals()
      expect(words).toContain(
        `${data} has lost its database: lookalike.db is missing or empty beside secrets/.`,
      )
      expect(words).toContain(
        'Restore lookalike.db from a backup, or move secrets/ elsewhere to start afresh.',
      )
      expect(readdirSync(data, { recursive: true }).sort()).toEqual(before)
      const measured = 'every command refuses in words, and nothing is made anew'
      recordBar({ bar: 39, part: 'emptied database', on: 'process', n: 1, measured, isMet: true })
    },
    30_000,
  )

  test('pictures and the log of a database count as well, and are named', async () => {
    rmSync(join(data, 'secrets'), { recursive: true })
    rmSync(join(data, 'lookalike.db'))
    mkdirSync(join(data, 'pictures/ab'), { recursive: true })
    // Empty folders are no reason.
    expect((await run('outbox')).stderr).toStartWith('There is no install')
    writeFileSync(join(data, 'pictures/ab/abcd'), 'picture')
    writeFileSync(join(data, 'lookalike.db-wal'), 'log')
    expect(await refusals()).toContain('missing or empty beside pictures/ and lookalike.db-wal.')
    expect(readFileSync(join(data, 'lookalike.db-wal'), 'utf8')).toBe('log')
  }, 30_000)

  test('with the folders moved away it begins anew', async () => {
    rmSync(join(data, 'lookalike.db'))
    rmSync(join(data, 'secrets'), { recursive: true })
    expect((await run(...SETUP)).code).toBe(0)
  })
})

describe('secrets/data', () => {
  beforeEach(async () => {
    expect((await run(...SETUP)).code).toBe(0)
  })

  test.each([
    ['missing', 'is missing', () => rmSync(secret('data'))],
    ['empty', 'is empty', () => truncateSync(secret('data'))],
    ['cut short', 'is truncated', () => truncateSync(secret('data'), 20)],
    [
      'of another install',
      'does not belong to this install, or is damaged',
      () => writeFileSync(secret('data'), 'x'.repeat(64)),
    ],
  ])(
    '%s: every command refuses, says what to do, and makes no new one',
    async (_, problem, harm) => {
      const kept = readFileSync(secret('data'))
      harm()
      const state = () =>
        readdirSync(join(data, 'secrets')).map((name) => [name, readFileSync(secret(name), 'utf8')])
      const before = state()
      const words = await refusals()
      expect(words).toStartWith(`${secret('data')} ${problem}. It decrypts values in the database`)
      expect(words).toContain('Restore it from a backup.')
      expect(state()).toEqual(before)
      writeFileSync(secret('data'), kept)
      expect((await run('outbox')).code).toBe(0)
      const measured = 'every command refuses in words, and no new one is made'
      recordBar({ bar: 39, part: 'missing secret', on: 'process', n: 1, measured, isMet: true })
    },
    30_000,
  )

  test('of an install of before there were seals: taken as it is; made anew only where nothing is sealed', async () => {
    inDatabase('DELETE FROM seals')
    expect((await run('outbox')).code).toBe(0)
    inDatabase('DELETE FROM seals')
    rmSync(secret('data'))
    expect((await run('outbox')).code).toBe(0)
    expect(existsSync(secret('data'))).toBe(true)
    inDatabase(`DELETE FROM seals;
      INSERT INTO two_factor (user_id, sealed_secret, created_at) SELECT id, x'00', 0 FROM users`)
    rmSync(secret('data'))
    expect(await refusals()).toContain('is missing')
    expect(existsSync(secret('data'))).toBe(false)
  }, 30_000)

  test('secret reset: refuses while nothing is lost', async () => {
    const { code, stderr } = await run('secret', 'reset')
    expect(code).toBe(1)
    expect(stderr).toContain('there is nothing to reset')
  })

  test('secret reset: a new secret, the wrong one kept, and who must be helped', async () => {
    inDatabase("INSERT INTO two_factor (user_id, sealed_secret, created_at) SELECT id, x'00', 0 FROM users")
    writeFileSync(secret('data'), 'x'.repeat(64))
    const { code, stdout } = await run('secret', 'reset')
    expect(code).toBe(0)
    expect(stdout).toContain('lookalike user reset-2fa me@shop.test')
    const old = readdirSync(join(data, 'secrets')).find((name) => name.startsWith('data.before-')) ?? ''
    expect(readFileSync(secret(old), 'utf8')).toBe('x'.repeat(64))
    expect((await run('user', 'reset-2fa', 'me@shop.test')).code).toBe(0)
    await served()
  }, 30_000)

  test('secret reset: refuses beside a service, which has the old secret in memory', async () => {
    const child = start(['serve'])
    await child.stdout.getReader().read()
    rmSync(secret('data'))
    const { code, stderr } = await run('secret', 'reset')
    expect(code).toBe(1)
    expect(stderr).toContain('Another lookalike already serves from')
    expect(existsSync(secret('data'))).toBe(false)
    child.kill('SIGTERM')
    await child.exited
  }, 30_000)
})

describe('secrets/jwt', () => {
  test('another one than before is taken, with a warning; the first one is none', async () => {
    expect((await run(...SETUP)).code).toBe(0)
    const warning = 'tokens are signed with a different secret than before: all sign-ins have ended'
    expect(await served()).not.toContain(warning)
    expect(await served()).not.toContain(warning)
    rmSync(secret('jwt'))
    expect(await served()).toContain(warning)
    expect(await served()).not.toContain(warning)
  }, 30_000)

  test.each([
    ['empty', 'is empty', 0],
    ['cut short', 'is truncated', 20],
  ])(
    '%s: refused in words',
    async (_, problem, length) => {
      await served()
      truncateSync(secret('jwt'), length)
      const { code, stderr } = await run('serve')
      expect(code).toBe(1)
      expect(stderr).toBe(
        `${secret('jwt')} ${problem}. Delete it to get a new one; this ends all sign-ins.\n`,
      )
    },
    30_000,
  )
})
