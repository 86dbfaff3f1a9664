import { createPrivateKey, type KeyObject, X509Certificate } from 'node:crypto'
import { readFileSync } from 'node:fs'
import type { Config, SettingName } from '../../config.ts'
import { wrongInput } from '../../core/operator-error.ts'

/** A certificate and its key, in PEM, as the service shows them to clients. */
export interface Certificate {
  cert: string
  key: string
  /** Unix ms. */
  startsAt: number
  endsAt: number
}

/**
 * Reads the certificate that the settings name.
 *
 * @param now Unix ms.
 * @returns undefined where the service speaks http.
 * @throws OperatorError if no client would accept it.
 */
export function readCertificate(
  { TLS_CERT, TLS_KEY }: Pick<Config, 'TLS_CERT' | 'TLS_KEY'>,
  now: number,
): Certificate | undefined {
  if (TLS_CERT === '') return undefined
  const cert = readText('TLS_CERT', TLS_CERT)
  const key = readText('TLS_KEY', TLS_KEY)
  const { parsed, startsAt, endsAt } = parseCertificate(cert, TLS_CERT)
  if (endsAt <= now) {
    throw wrongInput(
      `TLS_CERT: the certificate in ${TLS_CERT} ended on ${new Date(endsAt).toISOString().slice(0, 10)}: renew it.`,
    )
  }
  if (!parsed.checkPrivateKey(parseKey(key, TLS_KEY))) {
    throw wrongInput(
      `TLS_KEY: the key in ${TLS_KEY} is not that of the certificate in ${TLS_CERT}: name the two files that were made together.`,
    )
  }
  return { cert, key, startsAt, endsAt }
}

function readText(name: SettingName, path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    const { code = 'unknown error' } = error as NodeJS.ErrnoException
    throw wrongInput(`${name}: ${path} cannot be read (${code}): check that this user may read it.`)
  }
}

/** A certificate, and from when to when it is good, in Unix ms. */
interface Parsed {
  parsed: X509Certificate
  startsAt: number
  endsAt: number
}

/** Reads the first certificate in a text. @throws OperatorError */
export function parseCertificate(text: string, path: string, name: SettingName = 'TLS_CERT'): Parsed {
  try {
    const parsed = new X509Certificate(text)
    return { parsed, startsAt: Date.parse(parsed.validFrom), endsAt: Date.parse(parsed.validTo) }
  } catch {
    throw wrongInput(`${name}: ${path} holds no certificate in PEM, which begins with "BEGIN CERTIFICATE".`)
  }
}

function parseKey(text: string, path: string): KeyObject {
  try {
    return createPrivateKey(text)
  } catch {
    throw wrongInput(`TLS_KEY: ${path} holds no private key in PEM that opens without a passphrase.`)
  }
}
