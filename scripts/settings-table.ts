/**
 * Prints the table of settings for README.md, from `src/config.ts`.
 *
 * `bun scripts/settings-table.ts --write` puts it into README.md between its two marks.
 */
import { join } from 'node:path'
import { SETTING_NAMES, Settings, toFlag } from '../src/config.ts'

const README = join(import.meta.dir, '../README.md')
const START = '<!-- settings: written by scripts/settings-table.ts -->'
const END = '<!-- end of settings -->'

/** The table in Markdown. */
export function settingsTable(): string {
  const rows = SETTING_NAMES.map((name) => {
    const { description } = Settings.properties[name]
    return `| \`${name}\`, \`--${toFlag(name)}\` | ${defaultOf(name)} | ${description} |`
  })
  return ['| Setting | Default | Meaning |', '| --- | --- | --- |', ...rows].join('\n')
}

function defaultOf(name: (typeof SETTING_NAMES)[number]): string {
  if (name === 'INFERENCE_THREADS') return 'cores'
  const value = Settings.properties[name].default
  if (typeof value === 'boolean') return value ? '`1`' : '`0`'
  return value === '' ? 'empty' : `\`${value}\``
}

/** A text with the table between its marks renewed. @throws Error when the marks are missing. */
export function withSettingsTable(text: string): string {
  const start = text.indexOf(START)
  const end = text.indexOf(END)
  if (start === -1 || end === -1) throw new Error('README.md has lost the marks of the settings table')
  return `${text.slice(0, start)}${START}\n${settingsTable()}\n${text.slice(end)}`
}

if (import.meta.main) {
  const text = await Bun.file(README).text()
  if (Bun.argv.includes('--write')) await Bun.write(README, withSettingsTable(text))
  else console.log(settingsTable())
}
