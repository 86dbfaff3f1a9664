import { Value } from '@sinclair/typebox/value'
import { OperatorError } from '../../../core/operator-error.ts'
import { malformed } from '../../../core/row-lines.ts'
import { FileSecrets } from './schema.ts'

/** Fewer characters are found by trying. */
export const PASSPHRASE_CHARS_MIN = 12

/** What OWASP asks for: 128 MiB and a second or two. */
const SCRYPT_LOG_N = 17

/** Seals secrets with a passphrase, in the format of age. */
export async function sealSecrets(secrets: FileSecrets, passphrase: string): Promise<Uint8Array> {
  // A heavy start for a program that rarely needs it.
  const { Encrypter } = await import('age-encryption')
  const encrypter = new Encrypter()
  encrypter.setPassphrase(passphrase)
  encrypter.setScryptWorkFactor(SCRYPT_LOG_N)
  return encrypter.encrypt(JSON.stringify(secrets))
}

/** @throws OperatorError for another passphrase; UnreadableFile for what no version has sealed. */
export async function openSecrets(sealed: Uint8Array, passphrase: string): Promise<FileSecrets> {
  const { Decrypter } = await import('age-encryption')
  const decrypter = new Decrypter()
  decrypter.addPassphrase(passphrase)
  const text = await decrypter.decrypt(sealed, 'text').catch(() => {
    throw new OperatorError('The passphrase does not open the secrets in the file')
  })
  const secrets = parse(text)
  if (!Value.Check(FileSecrets, secrets)) throw malformed('its secrets are malformed')
  return secrets
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
