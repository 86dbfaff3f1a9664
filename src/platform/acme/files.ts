import { createPrivateKey, X509Certificate } from 'node:crypto'
import { readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { replaceFile } from '../replace-file.ts'
import type { Obtained } from './obtain.ts'
import { makeKey } from './requests.ts'

/** A certificate that was kept. */
export interface KeptCertificate extends Obtained {
  /** Unix ms. */
  startsAt: number
  endsAt: number
}

/** Why there is no newer certificate. */
export interface Failure {
  /** Unix ms. */
  at: number
  reason: string
}

const MODE = 0o600

/** What belongs to the certificate of a name, in the data folder. Only the owner can read it. */
export function openAcmeFiles(dataDir: string, domain: string) {
  const folder = join(dataDir, 'certificates')
  const certificate = join(folder, `${domain}.pem`)
  const account = join(folder, 'account.key')
  const failure = join(folder, `${domain}.failure`)
  return {
    certificate,
    account,
    /** Reads the certificate. Whoever sees no certificate in the file gets a new one. */
    read(): KeptCertificate | undefined {
      const text = readText(certificate)
      return text === undefined ? undefined : parseKept(text)
    },
    /** One file, so that certificate and key belong together after a crash, too. */
    write({ cert, key }: Obtained): void {
      replaceFile(certificate, `${key.trim()}\n${cert.trim()}\n`, MODE)
    },
    /** The key of the account at the authority; made on first use. @throws Error for a damaged one. */
    accountKey(): string {
      const known = readText(account)
      if (known !== undefined) {
        createPrivateKey(known)
        return known
      }
      const key = makeKey()
      replaceFile(account, key, MODE)
      return key
    },
    readFailure(): Failure | undefined {
      try {
        const { at, reason } = JSON.parse(readText(failure) ?? '{}') as Partial<Failure>
        return typeof at === 'number' && typeof reason === 'string' ? { at, reason } : undefined
      } catch {
        return undefined
      }
    },
    writeFailure: (what: Failure): void => replaceFile(failure, JSON.stringify(what), MODE),
    forgetFailure: (): void => rmSync(failure, { force: true }),
  }
}

export type AcmeFiles = ReturnType<typeof openAcmeFiles>

function readText(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
}

const KEY = /-----BEGIN PRIVATE KEY-----[^-]+-----END PRIVATE KEY-----/
const CERTIFICATES = /-----BEGIN CERTIFICATE-----.*-----END CERTIFICATE-----/s

/** Reads a certificate and its key. @returns undefined where they are damaged, or do not belong together. */
function parseKept(text: string): KeptCertificate | undefined {
  try {
    const key = KEY.exec(text)?.[0] ?? ''
    const cert = CERTIFICATES.exec(text)?.[0] ?? ''
    const read = new X509Certificate(cert)
    if (!read.checkPrivateKey(createPrivateKey(key))) return undefined
    return { cert, key, startsAt: Date.parse(read.validFrom), endsAt: Date.parse(read.validTo) }
  } catch {
    return undefined
  }
}
