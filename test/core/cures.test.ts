import { expect, test } from 'bun:test'
import { COMMANDS } from '../../src/commands/cli/run.ts'
import { loadConfig, SETTING_NAMES } from '../../src/config.ts'
import { CURES } from '../../src/core/cures.ts'

const cures = Object.entries(CURES).flatMap(([code, list]) => list.map((cure) => ({ code, ...cure })))

test.each(cures)('$code: $line is a setting with a valid value, or a command', ({ line }) => {
  const [, name = '', value = ''] = /^([A-Z_]+)=(.*)$/.exec(line) ?? []
  if (name === '') {
    const words = line.replace(/^lookalike /, '')
    expect(COMMANDS.some((command) => words === command.name || words.startsWith(`${command.name} `))).toBe(
      true,
    )
    return
  }
  expect(SETTING_NAMES as string[]).toContain(name)
  expect(() => loadConfig({ [name]: value })).not.toThrow()
})
