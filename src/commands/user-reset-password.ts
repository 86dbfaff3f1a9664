import type { Command } from './command.ts'
import { buildPasswordOptions, readGivenPassword, warnOfVisiblePassword } from './password-input.ts'
import { withInstall } from './runtime.ts'

/** `lookalike user reset-password`. */
export const userResetPassword: Command = {
  name: 'user reset-password',
  summary: 'set a new password for a person and end all their sign-ins',
  positionals: ['EMAIL'],
  options: [
    ...buildPasswordOptions('to set; without one, a password is generated and printed once'),
    { flag: 'json', meaning: 'print JSON' },
  ],
  settings: ['DATA_DIR'],
  example: 'lookalike user reset-password anna@shop.example',
  async run({ config, options, positionals }) {
    const [email = ''] = positionals
    const password = await readGivenPassword(options)
    const made = await withInstall(config, ({ accounts }) => accounts.resetPassword(email, password))
    warnOfVisiblePassword(options)
    console.log(options['json'] ? JSON.stringify({ email, password: made ?? null }) : format(email, made))
    return 0
  },
}

const format = (email: string, made: string | undefined): string =>
  made === undefined ? `${email} has a new password` : `New password of ${email}: ${made}   (shown only now)`
