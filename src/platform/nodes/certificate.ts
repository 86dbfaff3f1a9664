import { createHash, X509Certificate } from 'node:crypto'
import { join } from 'node:path'
import { FINGERPRINT_BYTES } from '../../core/node-code.ts'
import { makeKey, makeOwnCertificate } from '../acme/requests.ts'
import { ensureSecret } from '../secret-file.ts'

/** The certificate that a node shows to others, and its key, in PEM. */
export interface NodeCertificate {
  cert: string
  key: string
}

/** The last moment that a certificate can name in two digits of a year. Nobody looks at its dates: codes name the certificate. */
const ENDS_AT = Date.UTC(2049, 11, 31)
const NAME = 'lookalike.node'
const DAY_MS = 86_400_000

/** Files of `secrets/` that belong to one machine. */
export const NODE_FILES: readonly string[] = ['node-certificate.pem', 'node-key.pem']

/**
 * Reads the certificate that a node has made for itself; makes it on first use. It stays the same, so that a code and a move are
 * good over a restart.
 *
 * @param now Unix ms.
 */
export function ensureNodeCertificate(
  dataDir: string,
  now: number,
  uniqueName: () => string,
): NodeCertificate {
  const [certFile = '', keyFile = ''] = NODE_FILES.map((name) => join(dataDir, 'secrets', name))
  const ensure = (path: string, make: () => string) =>
    ensureSecret(path, () => ({ secret: make(), uniqueName: uniqueName() }))
  const key = ensure(keyFile, makeKey)
  const cert = ensure(certFile, () => makeOwnCertificate(NAME, key, now - DAY_MS, ENDS_AT))
  return { cert, key }
}

/** The beginning of the SHA-256 of the first certificate of a text, in DER. */
export const fingerprintOf = (pem: string): Uint8Array =>
  createHash('sha256').update(new X509Certificate(pem).raw).digest().subarray(0, FINGERPRINT_BYTES)
