import { t } from 'elysia'
import { LIMITS } from '../../../core/limits.ts'
import type { ShownCodes } from '../../../core/second-factor.ts'
import { text } from '../../../http/text-schema.ts'

/** Characters of a code, with spaces. */
export const CODE_CHARS_MAX = 40
/** Six digits, wherever there are spaces: authenticators show `123 456`. */
export const TOTP_PATTERN = '^\\s*(?:[0-9]\\s*){6}$'
export const TOTP_WORDS = 'six digits, as shown by the authenticator; spaces do not count'

/** The two codes of a second factor, of which a request shows one. A form may send the other empty, or as null. */
export const codeFields = {
  totp_code: t.Optional(
    t.Nullable(
      text({ pattern: `${TOTP_PATTERN}|^\\s*$`, maxLength: CODE_CHARS_MAX, description: TOTP_WORDS }),
    ),
  ),
  recovery_code: t.Optional(
    t.Nullable(text({ maxLength: CODE_CHARS_MAX, description: 'A recovery code, instead of `totp_code`.' })),
  ),
}

/** The fields by which a person shows that no one who found an open sign-in is asking. */
export const reauthenticationFields = {
  password: text({ minLength: 1, maxLength: LIMITS.passwordCharsMax, description: 'Your password.' }),
  ...codeFields,
}

export interface ShownCredentials extends ShownCodes {
  password: string
}

/** Failures of a route that asks for a {@link ShownCredentials}. */
export const REAUTHENTICATING = [
  ['requires_2fa', 'The account has a second factor: send one of its codes, too.'],
  ['invalid_2fa', 'The two-factor code is wrong.'],
  ['credential_ambiguous', 'Both codes were sent, or more than one credential.'],
  ['too_many_requests', 'Too many wrong passwords or codes were sent.'],
] as const
