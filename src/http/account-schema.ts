import { t } from 'elysia'
import { EMAIL_SHAPE } from '../core/email.ts'
import { LIMITS } from '../core/limits.ts'
import { text } from './text-schema.ts'

/** An e-mail address of an account that is made or invited. */
export const email = text({
  minLength: 1,
  maxLength: 320,
  pattern: EMAIL_SHAPE,
  description: 'E-mail address, like anna@shop.example.',
})

/** A password that somebody chooses. */
export const newPassword = text({
  minLength: LIMITS.passwordCharsMin,
  maxLength: LIMITS.passwordCharsMax,
  description:
    '10 to 1,024 characters; not a common password, and not the e-mail address or the name of the store.',
})

/** The token of a mailed link. */
export const linkToken = text({ minLength: 1, maxLength: 200, description: 'From the link in the mail.' })

export const TokenQuery = t.Object({ token: linkToken })

/** The query of a path that is also a page for browsers. Their page sends the token later. */
export const LinkQuery = t.Object({
  token: t.Optional(t.String({ description: 'From the link in the mail. A program must send it.' })),
})
