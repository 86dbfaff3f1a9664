import { composeMail } from '../../../core/mail-text.ts'
import type { Mail } from '../../../platform/mail/mailer.ts'

/** The link by which an address registers where registration is by invitation; its code follows the #. */
export const inviteMail = (to: string, token: string, baseUrl: string): Mail =>
  composeMail(
    to,
    'You are invited to create an account',
    `The operator of ${baseUrl} invites you to create an account with this e-mail address. The link works once, within 7 days (programs send what follows the # as \`invite\` of POST /register):`,
    `${baseUrl}/register#${token}`,
    'If you did not expect this, do nothing.',
  )

export interface SuperAdminChange {
  /** Whose right has changed. */
  email: string
  isSuperAdmin: boolean
  /** Address of the super-admin who changed it. */
  by: string
  baseUrl: string
}

/** Tells the super-admins, and the person, of a new super-admin or of one who is none any more. */
export const superAdminMail = (to: string, { email, isSuperAdmin, by, baseUrl }: SuperAdminChange): Mail => ({
  to,
  subject: isSuperAdmin ? `${email} is now a super-admin` : `${email} is no longer a super-admin`,
  text: [
    isSuperAdmin
      ? `${by} made ${email} a super-admin of ${baseUrl}. A super-admin may act for every store there.`
      : `${by} took from ${email} the rights of a super-admin of ${baseUrl}.`,
    'If nobody should have done this, take the right of that super-admin away, end their sign-ins and set a new password (`lookalike user reset-password`).\n',
  ].join('\n\n'),
})
