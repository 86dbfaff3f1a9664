import { normaliseEmail } from '../core/email.ts'
import { OperatorError } from '../core/operator-error.ts'
import type { Command } from './command.ts'
import { withInstall } from './runtime.ts'

/** `lookalike user reset-2fa`. */
export const userReset2fa: Command = {
  name: 'user reset-2fa',
  summary: 'switch off the two-factor authentication of somebody who lost the authenticator',
  positionals: ['EMAIL'],
  settings: ['DATA_DIR'],
  example: 'lookalike user reset-2fa ann@shop.example',
  async run({ config, positionals }) {
    const [typed = ''] = positionals
    const email = normaliseEmail(typed) ?? typed
    const wasThere = await withInstall(config, ({ twoFactor }) => twoFactor.reset(email))
    if (wasThere === undefined) throw new OperatorError(`There is no person with the e-mail address ${email}`)
    console.log(
      wasThere
        ? `${email} signs in with the password alone now; earlier logins have ended`
        : `${email} has no two-factor authentication; nothing was changed`,
    )
    return 0
  },
}
