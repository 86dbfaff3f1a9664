import { composeMail } from '../../../core/mail-text.ts'
import type { Mail } from '../../../platform/mail/mailer.ts'

/** The link that sets a new password. */
export const passwordResetMail = (to: string, link: string): Mail =>
  composeMail(
    to,
    'Choose a new password',
    'Someone, probably you, requested a new password for your account. To choose one, follow this link within an hour:',
    link,
    'If this was not you, do nothing: your password stays the same.',
  )
