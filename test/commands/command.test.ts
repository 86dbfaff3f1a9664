import { describe, expect, test } from 'bun:test'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Command, formatHelp, parseCall } from '../../src/commands/command.ts'
import { wrongSettings } from '../../src/core/operator-error.ts'

const command: Command = {
  name: 'shop open',
  summary: 'open a shop',
  options: [
    { flag: 'email', value: 'ADDRESS', meaning: 'e-mail of the owner', isRequired: true },
    { flag: 'json', meaning: 'print JSON' },
  ],
  positionals: ['SLUG'],
  settings: ['DATA_DIR', 'PORT', 'OFFLINE', 'JWT_SECRET'],
  example: 'lookalike shop open my-shop --email me@shop.example',
  run: async () => 0,
}

const parse = (line: string, env: Record<string, string> = {}) =>
  parseCall(command, line === '' ? [] : line.split(' '), env)

const GOOD = 'my-shop --email a@b.c'

describe('a command line', () => {
  test('gives words, options and settings, in any order', () => {
    for (const line of ['my-shop --email a@b.c --json --port 90', '--port=90 --json --email=a@b.c my-shop']) {
      const { positionals, options, config } = parse(line)
      expect(positionals).toEqual(['my-shop'])
      expect(options).toMatchObject({ email: 'a@b.c', json: 'true' })
      expect(config.PORT).toBe(90)
    }
  })

  test('a switch that is not given is not there', () => {
    expect(parse(GOOD).options['json']).toBeUndefined()
  })

  test('flags win over the environment', () => {
    expect(parse(`${GOOD} --data-dir /flag`, { DATA_DIR: '/env', PORT: '7' }).config).toMatchObject({
      DATA_DIR: '/flag',
      PORT: 7,
    })
  })

  test.each([
    ['--offline', true],
    ['--offline=1', true],
    ['--offline 1', true],
    ['--offline 0', false],
    ['--offline=false', false],
    ['--offline --json', true],
  ])('a setting that is a switch: %s is %p', (flag, isOn) => {
    expect(parse(`${GOOD} ${flag}`).config.OFFLINE).toBe(isOn)
  })

  test('a switch does not take the word behind it', () => {
    expect(parse('--email a@b.c --offline my-shop')).toMatchObject({
      positionals: ['my-shop'],
      config: { OFFLINE: true },
    })
  })

  test('a setting may come from a file', () => {
    const folder = mkdtempSync(join(tmpdir(), 'lookalike-command-'))
    writeFileSync(join(folder, 'secret'), `${'x'.repeat(40)}\n`)
    expect(parse(GOOD, { JWT_SECRET_FILE: join(folder, 'secret') }).config.JWT_SECRET).toBe('x'.repeat(40))
    rmSync(folder, { recursive: true })
  })
})

const WRONG_USAGE = expect.objectContaining({ name: 'OperatorError', kind: 'wrong_usage' })

describe('a wrong command line is told in one line with a hint (exit code 2)', () => {
  test.each([
    ['an unknown option', `${GOOD} --colour red`, "Unknown option '--colour'"],
    ['an unknown short option', `${GOOD} -x`, "Unknown option '-x'"],
    ['a setting of another command', `${GOOD} --log-level debug`, "Unknown option '--log-level'"],
    ['a missing option', 'my-shop', '--email is missing'],
    ['too few words', '--email a@b.c', 'lookalike shop open takes SLUG'],
    ['too many words', `${GOOD} another`, 'lookalike shop open takes SLUG'],
    ['an option without its value', 'my-shop --email', "Option '--email <value>' argument missing"],
    ['a value for a switch', `${GOOD} --json=1`, "Option '--json' does not take an argument"],
  ])('%s', (_, line, words) => {
    expect(() => parse(line)).toThrow(WRONG_USAGE)
    expect(() => parse(line)).toThrow(words)
  })

  test('a misspelt option never repeats its value', () => {
    expect(() => parse(`${GOOD} --pasword=hunter2`)).toThrow(WRONG_USAGE)
    expect(() => parse(`${GOOD} --pasword=hunter2`)).not.toThrow(/hunter2/)
  })

  test('a command without words says so', () => {
    const wordless = { ...command, positionals: [] }
    expect(() => parseCall(wordless, ['a', '--email', 'b'], {})).toThrow(
      'lookalike shop open takes no arguments',
    )
  })

  test('bad settings are wrong input (exit code 2)', () => {
    expect(() => parse(`${GOOD} --port x`)).toThrow(
      wrongSettings(['PORT must be a whole number from 0 to 65535']),
    )
  })
})

describe('help', () => {
  const help = formatHelp(command)

  test('names call, summary and example', () => {
    expect(help).toStartWith('lookalike shop open SLUG: open a shop\n')
    expect(help).toEndWith('Example\n  lookalike shop open my-shop --email me@shop.example')
  })

  test('lists options, required ones as such, and settings with their variables', () => {
    expect(help).toMatch(/ {2}--email ADDRESS +e-mail of the owner \(required\)/)
    expect(help).toMatch(/ {2}--json +print JSON\n/)
    expect(help).toMatch(/ {2}--port N +.*\[PORT\]/)
    expect(help).toMatch(/ {2}--data-dir VALUE +.*\[DATA_DIR\]/)
    expect(help).not.toContain('`')
  })

  test('leaves out what a command does not have', () => {
    expect(formatHelp({ ...command, options: [], settings: [] })).not.toMatch(/Options|Settings/)
  })
})
