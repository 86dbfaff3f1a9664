import { SETTING_NAMES, type ShownSetting } from '../config.ts'
import type { Command } from './cli/command.ts'
import { formatTable } from './cli/table.ts'

/** `lookalike settings list`. */
export const settingsList: Command = {
  name: 'settings list',
  summary: 'list the settings that "serve" would take from this environment, without secrets',
  options: [{ flag: 'json', meaning: 'print JSON' }],
  settings: SETTING_NAMES,
  essentials: ['DATA_DIR'],
  example: 'lookalike settings list --json',
  async run({ settings, options }) {
    console.log(options['json'] ? JSON.stringify(settings) : format(settings))
    return 0
  },
}

const format = (settings: readonly ShownSetting[]): string =>
  formatTable([
    ['SETTING', 'VALUE', 'SOURCE'],
    ...settings.map(({ name, value, source }) => [name, value === null ? '(secret)' : String(value), source]),
  ])
