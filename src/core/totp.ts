import { generateURI, ScureBase32Plugin, verifySync } from 'otplib'
import type { Ids } from './ids.ts'

/** Supported by every authenticator (RFC 6238 §5.1, the Key URI format): HMAC-SHA-1, 6 digits, 30 seconds. */
const SHAPE = { algorithm: 'sha1', digits: 6, period: 30 } as const

/** 160 bits, as RFC 4226 §4 recommends. */
const SECRET_BYTES = 20

const base32 = new ScureBase32Plugin()

/** Creates a secret for an authenticator: 32 characters of base32 (RFC 4648 §6) without padding. */
export const newTotpSecret = (ids: Pick<Ids, 'secret'>): string =>
  base32.encode(Buffer.from(ids.secret(SECRET_BYTES), 'base64url'))

/** The data that a QR code transfers to an authenticator (Key URI format). */
export interface Enrolment {
  /** Base32. */
  secret: string
  /** Name of the service, shown above the code. */
  issuer: string
  /** Name of the account, such as an e-mail address. */
  account: string
}

/** The `otpauth://totp/…` URI of a secret. */
export const otpauthUrl = ({ secret, issuer, account }: Enrolment): string =>
  generateURI({ ...SHAPE, secret, issuer, label: account })

/** The time step at an instant (RFC 6238 §4.2). @param nowMs Unix ms. */
export const timeStep = (nowMs: number): number => Math.floor(nowMs / 1000 / SHAPE.period)

/**
 * Finds the time step of a code among the previous, the current and the next step (RFC 6238 §5.2). The comparison takes
 * constant time. The caller decides whether a step was used before.
 *
 * @param secret base32.
 * @param nowMs Unix ms.
 * @returns undefined when the code belongs to none of the three steps.
 */
export function findStep(secret: string, code: string, nowMs: number): number | undefined {
  // otplib throws for a malformed code.
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
