import { generateURI, ScureBase32Plugin, verifySync } from 'otplib'
import type { Ids } from './ids.ts'

/** What every authenticator understands (RFC 6238 §5.1, the Key URI format): HMAC-SHA-1, 6 digits, 30 seconds. */
const SHAPE = { algorithm: 'sha1', digits: 6, period: 30 } as const

/** 160 bits, as RFC 4226 §4 recommends. */
const SECRET_BYTES = 20

const base32 = new ScureBase32Plugin()

/** A secret for an authenticator, in base32 (RFC 4648 §6) without padding: 32 characters. */
export const newTotpSecret = (ids: Pick<Ids, 'secret'>): string =>
  base32.encode(Buffer.from(ids.secret(SECRET_BYTES), 'base64url'))

/** What a QR code tells an authenticator (Key URI format). */
export interface Enrolment {
  /** Base32. */
  secret: string
  /** Name of the service, shown above the code. */
  issuer: string
  /** Name of the account, such as an e-mail address. */
  account: string
}

/** The `otpauth://totp/…` address of a secret. */
export const otpauthUrl = ({ secret, issuer, account }: Enrolment): string =>
  generateURI({ ...SHAPE, secret, issuer, label: account })

/** The time step of a moment (RFC 6238 §4.2). @param nowMs Unix ms. */
export const timeStep = (nowMs: number): number => Math.floor(nowMs / 1000 / SHAPE.period)

/**
 * The time step that a code belongs to, out of the one before now, the one of now and the one after (RFC 6238 §5.2);
 * undefined for a code of none of them. The comparison takes constant time. Whether the step was used before is for
 * the caller to judge.
 *
 * @param secret base32. @param nowMs Unix ms.
 */
export function matchingStep(secret: string, code: string, nowMs: number): number | undefined {
  // otplib throws for a code of another form.
  if (!/^[0-9]{6}$/.test(code)) return undefined
  const verdict = verifySync({
    ...SHAPE,
    strategy: 'totp',
    secret,
    token: code,
    epoch: Math.floor(nowMs / 1000),
    epochTolerance: SHAPE.period,
  })
  return verdict.valid && 'timeStep' in verdict ? verdict.timeStep : undefined
}
