import { describe, expect, test } from 'bun:test'
import type { Command } from '../../../src/commands/cli/command.ts'
import { formatCommands, formatHelp, readColumns, wrap } from '../../../src/commands/cli/help.ts'
import { COMMANDS } from '../../../src/commands/cli/run.ts'

const command: Command = {
  name: 'shop open',
  summary: 'open a shop',
  options: [
    { flag: 'email', value: 'ADDRESS', meaning: 'e-mail of the owner', isRequired: true },
    { flag: 'json', meaning: 'print JSON' },
  ],
  positionals: ['SLUG'],
  settings: ['DATA_DIR', 'PORT', 'OFFLINE', 'JWT_SECRET', 'INFERENCE_THREADS'],
  example: 'lookalike shop open my-shop --email me@shop.example',
  run: async () => 0,
}

describe('help', () => {
  const help = formatHelp(command, 120)

  test('names call, summary and example', () => {
    expect(help).toStartWith('lookalike shop open SLUG: open a shop\n')
    expect(help).toEndWith('Example\n  lookalike shop open my-shop --email me@shop.example')
  })

  test('lists options, required ones as such, and settings with their variables and defaults', () => {
    expect(help).toMatch(/ {2}--email ADDRESS +e-mail of the owner \(required\)/)
    expect(help).toMatch(/ {2}--json +print JSON\n/)
    expect(help).toMatch(/ {2}--port N +.*\[PORT, default 8080\]/)
    expect(help).toContain('[DATA_DIR, default ./data]')
    expect(help).toContain('[OFFLINE, default 0]')
    expect(help).not.toContain('`')
  })

  test('says no default where there is none, or where the meaning says it', () => {
    expect(help).toContain('[JWT_SECRET]')
    expect(help).toContain('[INFERENCE_THREADS]')
  })

  test('leaves out what a command does not have', () => {
    expect(formatHelp({ ...command, options: [], settings: [] })).not.toMatch(/Options|Settings/)
  })

  test('shows the essential settings, and all with --all', () => {
    const some: Command = { ...command, essentials: ['PORT'] }
    expect(formatHelp(some, 80)).not.toContain('--offline')
    expect(formatHelp(some, 80)).toContain('4 more settings apply: lookalike shop open --help --all')
    expect(formatHelp(some, 80, true)).toContain('--offline')
  })

  test.each([50, 80, 120])('no line of any command is wider than a terminal of %d columns', (columns) => {
    for (const each of COMMANDS) {
      const lines = formatHelp(each, columns, true).split('\n')
      // An example is there to be copied.
      const text = lines.slice(0, lines.indexOf('Example'))
      for (const line of text) expect([line, line.length <= columns]).toEqual([line, true])
    }
    for (const line of formatCommands(COMMANDS, columns).split('\n')) {
      expect([line, line.length <= columns]).toEqual([line, true])
    }
  })

  test('a meaning goes on below itself; on a narrow terminal it gets lines of its own', () => {
    const wide = formatCommands([{ ...command, summary: 'one two three four five six seven eight' }], 45)
    expect(wide).toBe('  shop open  one two three four five six\n             seven eight')
    const narrow = formatCommands([{ ...command, summary: 'one two three four five six seven eight' }], 30)
    expect(narrow).toBe('  shop open\n      one two three four five\n      six seven eight')
  })
})

test('text is broken between words only', () => {
  expect(wrap('one two three', 7)).toBe('one two\nthree')
  expect(wrap('incomprehensibilities are long', 5)).toBe('incomprehensibilities\nare\nlong')
  expect(wrap('', 5)).toBe('')
})

test('the width is that of the terminal, at most 120, and 80 where there is none', () => {
  expect([{}, { columns: 0 }, { columns: 66 }, { columns: 300 }].map(readColumns)).toEqual([80, 80, 66, 120])
})
