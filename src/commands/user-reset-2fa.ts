import { normaliseEmail } from '../core/email.ts'
import { OperatorError } from '../core/operator-error.ts'
import type { Command } from './command.ts'
import { withInstall } from './runtime.ts'

/** `lookalike user reset-2fa`. */
export const userReset2fa: Command = {
  name: 'user reset-2fa',
  summary: 'turn off two-factor authentication for a person who has lost the authenticator',
  positionals: ['EMAIL'],
  settings: ['DATA_DIR'],
  example: 'lookalike user reset-2fa ann@shop.example',
  async run({ config, positionals }) {
    const [typed = ''] = positionals
    const email = normaliseEmail(typed) ?? typed
    const wasThere = await withInstall(config, ({ twoFactor }) => twoFactor.reset(email))
    if (wasThere === undefined) throw new OperatorError(`${email} has no account`)
    console.log(
      wasThere
        ? `${email} now signs in with the password alone; earlier sign-ins have ended`
        : `${email} does not use two-factor authentication; nothing was changed`,
    )
    return 0
  },
}
