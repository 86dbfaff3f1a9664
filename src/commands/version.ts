import { commit, releaseKey, version } from '../version.ts'
import type { Command } from './cli/command.ts'
import { readReleaseKey } from './upgrade/minisign.ts'

/** `lookalike version`. */
export const versionCommand: Command = {
  name: 'version',
  summary: 'print the version, the commit that this build was made of, and the key of its releases',
  options: [{ flag: 'json', meaning: 'print JSON' }],
  settings: [],
  example: 'lookalike version',
  async run({ options }) {
    const { hash, date } = commit
    const key = releaseKey === undefined ? null : readReleaseKey(releaseKey).id
    const lines = [
      version,
      `commit  ${hash}`,
      `date    ${date}`,
      ...(key === null ? [] : [`key     ${key}, which newer releases must be signed with`]),
    ]
    const facts = { version, commit: hash, date, release_key: key }
    console.log(options['json'] ? JSON.stringify(facts) : lines.join('\n'))
    return 0
  },
}
