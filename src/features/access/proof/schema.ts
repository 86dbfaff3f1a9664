import { t } from 'elysia'
import { LIMITS } from '../../../core/limits.ts'
import { text } from '../../../http/text-schema.ts'

/** What shows that the person themself asks, and not somebody who found their sign-in. */
export const proofFields = {
  password: text({ minLength: 1, maxLength: LIMITS.passwordCharsMax, description: 'Your password.' }),
  totp_code: t.Optional(
    text({
      pattern: '^[0-9]{6}$',
      description:
        'Six digits, as shown by the authenticator. Required while two-factor authentication is on.',
    }),
  ),
  recovery_code: t.Optional(
    text({ minLength: 1, maxLength: 40, description: 'A recovery code, instead of `totp_code`.' }),
  ),
}

export interface Proof {
  password: string
  totp_code?: string
  recovery_code?: string
}

/** Failures of a route that asks for a {@link Proof}. */
export const PROVING = [
  ['requires_2fa', 'The account has a second factor: send one of its codes, too.'],
  ['invalid_2fa', 'The two-factor code is wrong.'],
  ['credential_ambiguous', 'Both codes were sent, or more than one credential.'],
  ['too_many_requests', 'Too many wrong passwords or codes were sent.'],
] as const
