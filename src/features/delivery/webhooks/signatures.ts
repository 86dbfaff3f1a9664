import { createHmac } from 'node:crypto'

/** Marks a secret whose rest is the key in base64 (Standard Webhooks). */
const STANDARD_PREFIX = 'whsec_'

export interface SignedMessage {
  /** The same for every attempt, so that a receiver can tell repetitions. */
  id: string
  /** Unix seconds of the attempt. */
  seconds: number
  body: string
}

/**
 * Signs a message in both schemes (contract 9.4). A receiver compares one header with one signature, so the secret that it
 * knows goes on signing that header until its time is over.
 *
 * @param secrets the current one, then those that it has replaced, newest first.
 */
export function signMessage(message: SignedMessage, secrets: readonly string[]): Record<string, string> {
  const [current = '', replaced, ...earlier] = secrets
  return {
    'X-Webhook-Signature': signBody(message.body, replaced ?? current),
    ...(replaced !== undefined && { 'X-Webhook-Signature-Next': signBody(message.body, current) }),
    ...(earlier.length > 0 && {
      'X-Webhook-Signature-Previous': earlier.map((secret) => signBody(message.body, secret)).join(','),
    }),
    'webhook-signature': secrets.map((secret) => signStandard(message, secret)).join(' '),
  }
}

const signBody = (body: string, secret: string): string =>
  `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`

/** Signs as Standard Webhooks 1.0 says, symmetric scheme. */
const signStandard = ({ id, seconds, body }: SignedMessage, secret: string): string =>
  `v1,${createHmac('sha256', readKey(secret)).update(`${id}.${seconds}.${body}`).digest('base64')}`

const readKey = (secret: string): Buffer =>
  secret.startsWith(STANDARD_PREFIX)
    ? Buffer.from(secret.slice(STANDARD_PREFIX.length), 'base64')
    : Buffer.from(secret)

/** The form of a secret that libraries for Standard Webhooks take. */
export const toStandardSecret = (secret: string): string =>
  secret.startsWith(STANDARD_PREFIX) ? secret : STANDARD_PREFIX + Buffer.from(secret).toString('base64')

/** Writes random bytes as a secret. @param random base64url. */
export const makeSecret = (random: string): string =>
  STANDARD_PREFIX + Buffer.from(random, 'base64url').toString('base64')

/** Whether a secret that claims to be in the standard form is. */
export const isWellFormed = (secret: string): boolean =>
  !secret.startsWith(STANDARD_PREFIX) ||
  (/^[A-Za-z0-9+/]+={0,2}$/.test(secret.slice(STANDARD_PREFIX.length)) &&
    (secret.length - STANDARD_PREFIX.length) % 4 === 0)
