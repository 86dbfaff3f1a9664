import { commit, version } from '../version.ts'
import type { Command } from './cli/command.ts'

/** `lookalike version`. */
export const versionCommand: Command = {
  name: 'version',
  summary: 'print the version, and the commit that this build was made of',
  options: [{ flag: 'json', meaning: 'print JSON' }],
  settings: [],
  example: 'lookalike version',
  async run({ options }) {
    const { hash, date } = commit
    const lines = [version, `commit  ${hash}`, `date    ${date}`]
    console.log(options['json'] ? JSON.stringify({ version, commit: hash, date }) : lines.join('\n'))
    return 0
  },
}
