import type { Command } from './command.ts'
import { withInstall } from './runtime.ts'

/** `lookalike user unlock`. */
export const userUnlock: Command = {
  name: 'user unlock',
  summary: 'forget the failed sign-ins of a person, who can then try again at once',
  positionals: ['EMAIL'],
  settings: ['DATA_DIR'],
  example: 'lookalike user unlock anna@shop.example',
  async run({ config, positionals }) {
    const [email = ''] = positionals
    await withInstall(config, ({ accounts }) => accounts.unlock(email))
    console.log(`${email} can sign in again`)
    return 0
  },
}
