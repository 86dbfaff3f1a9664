import { describe, expect, test } from 'bun:test'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Command, parseCall } from '../../../src/commands/cli/command.ts'
import { wrongSettings } from '../../../src/core/operator-error.ts'

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
    ['an unknown option', `${GOOD} --colour red`, 'There is no option --colour'],
    ['an unknown short option', `${GOOD} -x`, 'There is no option -x'],
    ['a name that every object has', `${GOOD} --constructor`, 'There is no option --constructor'],
    ['a misspelt option', `${GOOD} --jsno`, 'There is no option --jsno; did you mean --json?'],
    ['a misspelt setting', `${GOOD} --prot 9`, 'There is no option --prot; did you mean --port?'],
    ['a setting of another command', `${GOOD} --log-level debug`, 'There is no option --log-level'],
    ['a missing option', 'my-shop', '--email ADDRESS is missing'],
    ['too few words', '--email a@b.c', 'lookalike shop open takes SLUG'],
    ['too many words', `${GOOD} another`, 'lookalike shop open takes SLUG'],
    ['an option without its value', 'my-shop --email', '--email needs a value'],
    ['an option in the place of a value', 'my-shop --email --json', '--email needs a value; write --email=…'],
    ['a value for a switch', `${GOOD} --json=1`, '--json takes no value'],
    ['a wrong value for a switch', `${GOOD} --offline maybe`, '--offline must be 1 or 0, but got "maybe"'],
  ])('%s', (_, line, words) => {
    expect(() => parse(line)).toThrow(WRONG_USAGE)
    expect(() => parse(line)).toThrow(words)
  })

  test('a misspelt option never repeats its value', () => {
    expect(() => parse(`${GOOD} --pasword=hunter2`)).toThrow(WRONG_USAGE)
    expect(() => parse(`${GOOD} --pasword=hunter2`)).not.toThrow(/hunter2/)
  })

  test('the word behind a misspelt option may be its value, and is not repeated either', () => {
    expect(() => parse(`${GOOD} --pasword hunter2`)).toThrow('There is no option --pasword')
    expect(() => parse(`${GOOD} --pasword hunter2`)).not.toThrow(/hunter2/)
  })

  test('all problems are told at once', () => {
    const shop: Command = {
      ...command,
      options: [
        ...(command.options ?? []),
        { flag: 'store', value: 'NAME', meaning: 'name of the store', isRequired: true },
      ],
      findProblems: ({ json }) => (json ? ['No JSON today'] : []),
    }
    expect(() => parseCall(shop, ['--json', '--prot', '9'], {})).toThrow(
      new Error(
        'There is no option --prot; did you mean --port?\n--email ADDRESS is missing\n--store NAME is missing\nNo JSON today',
      ),
    )
    expect(() => parseCall(shop, [], {})).toThrow(
      new Error(
        'lookalike shop open takes SLUG, but got none\n--email ADDRESS is missing\n--store NAME is missing',
      ),
    )
  })

  test('a value may begin with a dash after =, and a single dash is a value', () => {
    expect(parse('my-shop --email=-a@b.c').options['email']).toBe('-a@b.c')
    expect(parse('my-shop --email -').options['email']).toBe('-')
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
