import type { Command } from './command.ts'
import { withInstall } from './runtime.ts'

/** `lookalike user end-sessions`. */
export const userEndSessions: Command = {
  name: 'user end-sessions',
  summary: 'end all sign-ins of a person, whose tokens are refused from the next request on',
  positionals: ['EMAIL'],
  options: [{ flag: 'json', meaning: 'print JSON' }],
  settings: ['DATA_DIR'],
  example: 'lookalike user end-sessions anna@shop.example',
  async run({ config, options, positionals: [email = ''] }) {
    const ended = await withInstall(config, ({ accounts }) => accounts.endSessions(email))
    console.log(
      options['json'] ? JSON.stringify({ email, ended }) : `Sign-ins of ${email} that ended: ${ended}`,
    )
    return 0
  },
}
