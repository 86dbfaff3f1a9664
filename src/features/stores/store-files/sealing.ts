import { scrypt } from 'node:crypto'
import { Value } from '@sinclair/typebox/value'
import type { Ids } from '../../../core/ids.ts'
import { OperatorError } from '../../../core/operator-error.ts'
import { malformed } from '../../../core/row-lines.ts'
import type { SecretBox } from '../../../platform/secret-box.ts'
import { FileSecrets } from './schema.ts'

/** Fewer characters are found by trying. */
export const PASSPHRASE_CHARS_MIN = 12

export interface SealingDeps {
  ids: Pick<Ids, 'secret'>
  createSecretBox(secret: string): Pick<SecretBox, 'seal' | 'open'>
}

const CONTEXT = 'secrets of a store in its file'
const SALT_BYTES = 16
const KEY_BYTES = 32
/** What OWASP asks for: 128 MiB, and half a second. */
const COST = { N: 2 ** 17, r: 8, p: 1, maxmem: 256 * 1024 * 1024 }

/** Seals the secrets in a file with a passphrase: a salt, and a box whose key is derived from both. */
export function createSealing({ ids, createSecretBox }: SealingDeps) {
  const openBox = async (passphrase: string, salt: Uint8Array) =>
    createSecretBox((await derive(passphrase, salt)).toString('hex'))

  return {
    async seal(secrets: FileSecrets, passphrase: string): Promise<Uint8Array> {
      const salt = Buffer.from(ids.secret(SALT_BYTES), 'base64url')
      const box = await openBox(passphrase, salt)
      return Buffer.concat([salt, box.seal(JSON.stringify(secrets), CONTEXT)])
    },

    /** @throws OperatorError for another passphrase; UnreadableFile for what no version has sealed. */
    async open(sealed: Uint8Array, passphrase: string): Promise<FileSecrets> {
      const box = await openBox(passphrase, sealed.subarray(0, SALT_BYTES))
      const text = box.open(sealed.subarray(SALT_BYTES), CONTEXT)
      if (text === undefined) throw new OperatorError('The passphrase does not open the secrets in the file')
      const secrets = parse(text)
      if (!Value.Check(FileSecrets, secrets)) throw malformed('its secrets are malformed')
      return secrets
    },
  }
}

const derive = (passphrase: string, salt: Uint8Array): Promise<Buffer> =>
  new Promise((resolve, reject) => {
    scrypt(passphrase.normalize('NFKC'), salt, KEY_BYTES, COST, (error, key) =>
      error ? reject(error) : resolve(key),
    )
  })

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
