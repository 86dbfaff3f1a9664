import { join } from 'node:path'

/** The files of a certificate for this machine. */
export interface CertificateFiles {
  cert: string
  key: string
}

/**
 * Makes a certificate that is good for two days.
 *
 * @param names that it is good for, in the words of openssl.
 * @returns undefined where there is no `openssl`.
 */
export function makeCertificate(
  folder: string,
  name: string,
  names = 'DNS:localhost,IP:127.0.0.1',
): CertificateFiles | undefined {
  const openssl = Bun.which('openssl')
  if (!openssl) return undefined
  const files = { cert: join(folder, `${name}.crt`), key: join(folder, `${name}.key`) }
  const words = `req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2 -addext subjectAltName=${names}`
  const { exitCode, stderr } = Bun.spawnSync([
    openssl,
    ...words.split(' '),
    ...['-subj', `/CN=${name}`, '-keyout', files.key, '-out', files.cert],
  ])
  if (exitCode !== 0) throw new Error(`openssl: ${stderr}`)
  return files
}
