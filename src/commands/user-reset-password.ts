import type { Command } from './command.ts'
import { givenPassword, passwordOptions, warnOfVisiblePassword } from './password-input.ts'
import { withInstall } from './runtime.ts'

/** `lookalike user reset-password`. */
export const userResetPassword: Command = {
  name: 'user reset-password',
  summary: 'give a person a new password and end all sign-ins of theirs',
  positionals: ['EMAIL'],
  options: passwordOptions('to set; without one it is made and printed once'),
  settings: ['DATA_DIR'],
  example: 'lookalike user reset-password anna@shop.example',
  async run({ config, options, positionals }) {
    const [email = ''] = positionals
    const password = await givenPassword(options)
    const made = await withInstall(config, ({ operator }) => operator.resetPassword(email, password))
    warnOfVisiblePassword(options)
    console.log(made ?? `${email} has the new password`)
    return 0
  },
}
