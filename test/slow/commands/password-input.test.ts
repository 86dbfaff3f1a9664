import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openDatabase } from '../../../src/platform/db/open.ts'
import { createPasswordHasher } from '../../../src/platform/passwords.ts'
import { ENV, PROGRAM } from './program.ts'

const EMAIL = 'me@shop.test'
const PASSWORD = 'kettle drum violin'
const SETUP = ['setup', '--email', EMAIL, '--store', 'My shop', '--json']
const WARNING = 'can read the value of --password in the process list'

let folder: string
let dataDir: string

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'lookalike-password-'))
  dataDir = join(folder, 'data')
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

const env = () => ({ ...ENV, DATA_DIR: dataDir })

/** Runs a command to its end. @param input what comes on its standard input, which is no terminal. */
async function run(words: string[], input: string | Uint8Array = '') {
  const child = Bun.spawn([...PROGRAM, ...words], {
    env: env(),
    stdin: new Blob([input as string]),
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

/** A file with this text. */
function file(text: string | Uint8Array): string {
  const path = join(folder, 'password')
  writeFileSync(path, text)
  return path
}

/** Whether the account in the data folder has that password. */
async function hasPassword(password: string): Promise<boolean> {
  const db = openDatabase(dataDir)
  const hash = db.prepare('SELECT password_hash FROM users WHERE email = ?').pluck().get(EMAIL)
  db.close()
  return createPasswordHasher().verify(String(hash), password)
}

describe('a password for lookalike setup', () => {
  test.each([
    ['as it is', PASSWORD, PASSWORD],
    ['with a newline at its end', `${PASSWORD}\n`, PASSWORD],
    ['with a newline of Windows', `${PASSWORD}\r\n`, PASSWORD],
    ['with two newlines, one of which belongs to it', `${PASSWORD}\n\n`, `${PASSWORD}\n`],
    ['with spaces, which belong to it', ` ${PASSWORD} \n`, ` ${PASSWORD} `],
    ['beyond ASCII', 'Kesselpauke für Ünal\n', 'Kesselpauke für Ünal'],
  ])(
    'from a file and from standard input, %s',
    async (_, text, password) => {
      const fromFile = await run([...SETUP, '--password-file', file(text)])
      expect(fromFile).toMatchObject({ code: 0, stderr: '' })
      expect(await hasPassword(password)).toBe(true)
      rmSync(dataDir, { recursive: true })
      const fromInput = await run([...SETUP, '--password', '-'], text)
      expect(fromInput).toMatchObject({ code: 0, stderr: '' })
      expect(JSON.parse(fromInput.stdout)).toMatchObject({ slug: 'my-shop' })
      expect(await hasPassword(password)).toBe(true)
    },
    60_000,
  )

  test('on the command line works, and a warning says who can read it', async () => {
    const { code, stdout, stderr } = await run([...SETUP, '--password', PASSWORD])
    expect([code, stderr.includes(WARNING), stderr.includes(PASSWORD)]).toEqual([0, true, false])
    expect(JSON.parse(stdout)).toMatchObject({ email: EMAIL })
    expect(await hasPassword(PASSWORD)).toBe(true)
  }, 30_000)

  test.each<[string, () => string[], string, number, string]>([
    ['nothing at all', () => [], '', 2, 'The password is missing: use --password-file FILE'],
    ['two of them', () => ['--password', 'x', '--password-file', file('x')], '', 2, 'not both'],
    [
      'a file that is not there',
      () => ['--password-file', '/nowhere/x'],
      '',
      1,
      'cannot be read from /nowhere/x',
    ],
    ['a folder', () => ['--password-file', folder], '', 1, 'cannot be read from'],
    ['an empty file', () => ['--password-file', file('\n')], '', 2, 'at least 10 characters'],
    ['empty input', () => ['--password', '-'], '', 2, 'at least 10 characters'],
    [
      'a file that is no text',
      () => ['--password-file', file(Uint8Array.of(0xff, 0xfe, 0x41))],
      '',
      1,
      'not valid UTF-8',
    ],
    ['a large file', () => ['--password-file', file('x'.repeat(70_000))], '', 1, 'too long for a password'],
    ['endless input', () => ['--password', '-'], 'x'.repeat(1_000_000), 1, 'too long for a password'],
    ['a poor one', () => ['--password', '-'], 'password123\n', 2, 'most used passwords'],
  ])(
    'is refused in words: %s',
    async (_, words, input, code, reason) => {
      const ended = await run([...SETUP, ...words()], input)
      expect(ended).toMatchObject({ code, stdout: '' })
      expect(ended.stderr).toContain(reason)
      expect(ended.stderr).not.toMatch(/\n\s+at /)
    },
    30_000,
  )
})

describe('lookalike user reset-password', () => {
  beforeEach(async () => {
    await run([...SETUP, '--password-file', file(PASSWORD)])
  })

  test.each([
    ['a file', () => ['--password-file', file('trumpet in the hall\n')], ''],
    ['standard input', () => ['--password', '-'], 'trumpet in the hall\n'],
  ] as const)(
    'takes it from %s',
    async (_, words, input) => {
      const ended = await run(['user', 'reset-password', EMAIL, ...words()], input)
      expect(ended).toMatchObject({ code: 0, stderr: '', stdout: `${EMAIL} has a new password\n` })
      expect(await hasPassword('trumpet in the hall')).toBe(true)
    },
    30_000,
  )

  test('warns of one on the command line', async () => {
    const ended = await run(['user', 'reset-password', EMAIL, '--password', 'trumpet in the hall'])
    expect([ended.code, ended.stderr.includes(WARNING)]).toEqual([0, true])
  }, 30_000)
})

describe('on a terminal', () => {
  /** Runs a command on a terminal of its own and types an answer each time it asks. @returns all that was to be seen. */
  async function onTerminal(words: string[], ...typed: string[]) {
    let seen = ''
    let asked = 0
    const child = Bun.spawn([...PROGRAM, ...words], {
      env: env(),
      terminal: {
        data(terminal, bytes) {
          seen += new TextDecoder().decode(bytes)
          const questions = seen.match(/(Password[^\n]*|The same again): /g)?.length ?? 0
          if (questions > asked) terminal.write(typed[asked++] ?? '\u0003')
        },
      },
    })
    const code = await child.exited
    child.terminal?.close()
    return { code, seen }
  }

  test.each([
    ['neither option', []],
    ['--password -', ['--password', '-']],
  ])(
    'with %s it is asked for, and is not to be seen',
    async (_, words) => {
      const { code, seen } = await onTerminal([...SETUP, ...words], `${PASSWORD}x\u007f\r`, `${PASSWORD}\r`)
      expect(code).toBe(0)
      expect(seen).toContain('Password')
      expect(seen).toContain('"slug":"my-shop"')
      expect(seen).not.toContain('kettle')
      expect(await hasPassword(PASSWORD)).toBe(true)
    },
    30_000,
  )

  test('a repetition that differs is asked for again, three times at most', async () => {
    const { code, seen } = await onTerminal(SETUP, 'one\r', 'two\r', `${PASSWORD}\r`, `${PASSWORD}\r`)
    expect([code, seen.match(/The two passwords differ/g)?.length]).toEqual([0, 1])
    expect(await hasPassword(PASSWORD)).toBe(true)
    rmSync(dataDir, { recursive: true })
    const wrong = ['a\r', 'b\r', 'c\r', 'd\r', 'e\r', 'f\r', 'g\r']
    const ended = await onTerminal(SETUP, ...wrong)
    expect([ended.code, ended.seen.includes('No password was given')]).toEqual([1, true])
    expect(await Bun.file(join(dataDir, 'lookalike.db')).exists()).toBe(false)
  }, 30_000)

  test('that of a known person is asked for once; a taken name is told before', async () => {
    await run([...SETUP, '--password-file', file(PASSWORD)])
    const second = ['setup', '--email', EMAIL, '--store', 'Another', '--json']
    const { code, seen } = await onTerminal(second, `${PASSWORD}\r`)
    expect([code, seen.includes('again'), seen.includes('"slug":"another"')]).toEqual([0, false, true])
    const taken = await onTerminal(SETUP)
    expect([taken.code, taken.seen.includes('Password of')]).toEqual([1, false])
    expect(taken.seen).toContain('exists already (my-shop)')
  }, 30_000)

  test.each([
    ['Ctrl-C', '\u0003'],
    ['Ctrl-D', 'half\u0004'],
  ])(
    '%s ends it, and nothing is made',
    async (_, typed) => {
      const { code, seen } = await onTerminal(SETUP, typed)
      expect([code, seen.includes('No password was given')]).toEqual([1, true])
      expect(await Bun.file(join(dataDir, 'lookalike.db')).exists()).toBe(false)
    },
    30_000,
  )
})
