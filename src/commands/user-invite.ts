import { isoTime } from '../core/clock.ts'
import type { Invitation } from '../features/access/accounts/operator.ts'
import type { Command } from './command.ts'
import { addressOf, withInstall } from './runtime.ts'

/** `lookalike user invite`. */
export const userInvite: Command = {
  name: 'user invite',
  summary: 'let an address register where REGISTRATION is "invite", once and within 7 days',
  positionals: ['EMAIL'],
  options: [{ flag: 'json', meaning: 'print JSON' }],
  settings: ['DATA_DIR', 'HOST', 'PORT', 'BASE_URL', 'SMTP_URL', 'MAIL_FROM', 'OFFLINE', 'FETCH_ALLOW_CIDRS'],
  example: 'lookalike user invite anna@shop.example',
  async run({ config, options, positionals }) {
    const [email = ''] = positionals
    const invitation = await withInstall(config, ({ operator }) => operator.invite(email))
    console.log(options['json'] ? asJson(invitation) : forPeople(invitation, addressOf(config)))
    return 0
  },
}

const asJson = ({ email, token, expiresAt, isSent }: Invitation): string =>
  JSON.stringify({ email, invite: token, expires_at: isoTime(expiresAt), email_sent: isSent })

const forPeople = ({ email, token, expiresAt, isSent }: Invitation, address: string): string =>
  `${email} may register until ${isoTime(expiresAt)}. ${isSent ? 'A mail is on its way.' : 'The mail waits in the outbox.'}

  invite  ${token}   (shown only now)

  curl -s ${address}/register -H 'content-type: application/json' \\
    -d '{"client_name": "…", "email": "${email}", "password": "…", "invite": "${token}"}'`
