import { composeMail } from '../../../core/mail-text.ts'
import type { Mail } from '../../../platform/mail/mailer.ts'

/** The code that an address needs to register where registration is by invitation. */
export const inviteMail = (to: string, token: string, baseUrl: string): Mail =>
  composeMail(
    to,
    'You are invited to create an account',
    `The operator of ${baseUrl} invites you to create an account with this e-mail address. Register with this code (\`invite\` in POST /register). It works once, within 7 days:`,
    token,
    'If you did not expect this, do nothing.',
  )
