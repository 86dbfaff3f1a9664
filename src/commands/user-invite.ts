import { isoTime } from '../core/clock.ts'
import type { Invitation } from '../features/access/operator/service.ts'
import { findAddress } from './addresses.ts'
import type { Command } from './command.ts'
import { withInstall } from './runtime.ts'

/** `lookalike user invite`. */
export const userInvite: Command = {
  name: 'user invite',
  summary: 'invite an address to register once within 7 days, where REGISTRATION is "invite"',
  positionals: ['EMAIL'],
  options: [{ flag: 'json', meaning: 'print JSON' }],
  settings: ['DATA_DIR', 'HOST', 'PORT', 'BASE_URL', 'SMTP_URL', 'MAIL_FROM', 'OFFLINE', 'FETCH_ALLOW_CIDRS'],
  example: 'lookalike user invite anna@shop.example',
  async run({ config, options, positionals }) {
    const [email = ''] = positionals
    const invitation = await withInstall(config, ({ accounts }) => accounts.invite(email))
    console.log(options['json'] ? toJson(invitation) : formatInvitation(invitation, findAddress(config)))
    return 0
  },
}

const toJson = ({ email, token, expiresAt, isSent }: Invitation): string =>
  JSON.stringify({ email, invite: token, expires_at: isoTime(expiresAt), email_sent: isSent })

const formatInvitation = ({ email, token, expiresAt, isSent }: Invitation, address: string): string =>
  `${email} may register until ${isoTime(expiresAt)}. ${isSent ? 'The mail has been sent.' : 'The mail is waiting in the outbox.'}

  invite  ${token}   (shown only now)

  curl --fail-with-body -sS ${address}/register -H 'content-type: application/json' \\
    -d '{"client_name": "…", "email": "${email}", "password": "…", "invite": "${token}"}'`
