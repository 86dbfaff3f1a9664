import { OperatorError } from '../core/operator-error.ts'
import type { Command } from './cli/command.ts'
import { findAddress } from './service/addresses.ts'
import { issueSetupLink } from './service/setup-link.ts'
import { withInstall } from './service/with-install.ts'

/** `lookalike setup-link`. */
export const setupLink: Command = {
  name: 'setup-link',
  summary: 'print a new link, good once for 30 minutes, that makes the first account in a browser',
  settings: ['DATA_DIR', 'HOST', 'PORT', 'BASE_URL'],
  example: 'lookalike setup-link --data-dir /var/lib/lookalike',
  async run({ config }) {
    const address = config.BASE_URL || findAddress(config)
    const { url } = await withInstall(config, (services) => issueSetupLink(services, address) ?? refuse())
    console.log(url)
    return 0
  },
}

function refuse(): never {
  throw new OperatorError(
    'This installation has an owner already, so there is no set-up link. Invite people with "lookalike user invite", or reset a password with "lookalike user reset-password".',
  )
}
