import { OperatorError } from '../../../core/operator-error.ts'

/** A key of age: who has the identity reads what was encrypted to the recipient. */
export interface AgeKey {
  identity: string
  recipient: string
}

/** The library is loaded by those who need it. */
const load = () => import('age-encryption')

export async function makeKey(): Promise<AgeKey> {
  const { generateX25519Identity, identityToRecipient } = await load()
  const identity = await generateX25519Identity()
  return { identity, recipient: await identityToRecipient(identity) }
}

export async function isRecipient(text: string): Promise<boolean> {
  const { Encrypter } = await load()
  try {
    new Encrypter().addRecipient(text)
    return true
  } catch {
    return false
  }
}

/** @param bytes of the content. @returns the encrypted content, and how many bytes it will have. */
export async function encrypt(
  content: AsyncIterable<Uint8Array>,
  bytes: number,
  recipient: string,
): Promise<{ content: AsyncIterable<Uint8Array>; bytes: number }> {
  const { Encrypter } = await load()
  const encrypter = new Encrypter()
  encrypter.addRecipient(recipient)
  const encrypted = await encrypter.encrypt(toStream(content))
  return { content: encrypted, bytes: encrypted.size(bytes) }
}

/** What age itself writes before an identity. */
const IDENTITY = /^AGE-SECRET-KEY-/

/** Reads the identities of a key file, as `age-keygen` and `lookalike backup key` write it. */
export const readIdentities = (text: string): string[] =>
  text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => IDENTITY.test(line))

/**
 * Decrypts a file as a stream. The plain text is whole only when the stream has ended without an error.
 *
 * @param names how errors call the file and the file of its key.
 * @throws OperatorError for a file that is not of age, is not whole, or has another key; the errors of `content`.
 */
export async function* decrypt(
  content: AsyncIterable<Uint8Array>,
  identities: readonly string[],
  names: { file: string; keyFile: string },
): AsyncGenerator<Uint8Array> {
  const { Decrypter } = await load()
  const decrypter = new Decrypter()
  try {
    for (const identity of identities) decrypter.addIdentity(identity)
  } catch {
    throw new OperatorError(
      `The key in ${names.keyFile} is damaged: it must be the whole AGE-SECRET-KEY-… line.`,
    )
  }
  // Reading and decrypting fail alike in a stream.
  let readFault: unknown
  async function* read(): AsyncGenerator<Uint8Array> {
    try {
      yield* content
    } catch (error) {
      readFault = error
      throw error
    }
  }
  let plain: ReadableStream<Uint8Array>
  try {
    plain = await decrypter.decrypt(toStream(read()))
  } catch (error) {
    throw readFault ?? explainHeader(error as Error, names)
  }
  try {
    yield* plain
  } catch {
    throw (
      readFault ??
      new OperatorError(`${names.file} is truncated or damaged. Nothing was changed: choose another copy.`)
    )
  }
}

const explainHeader = ({ message }: Error, { file, keyFile }: { file: string; keyFile: string }) =>
  new OperatorError(
    message.includes('no identity matched')
      ? `${file} is encrypted to another key than the one in ${keyFile}: use the key that "lookalike backup key" showed when the copy was made.`
      : `${file} is not a file of age, or its beginning is damaged: choose a copy that ends in .age.`,
  )

/** Bun's streams cannot be made from iterables. A reader that is slow holds the content up. */
function toStream(content: AsyncIterable<Uint8Array>): ReadableStream<Uint8Array> {
  const pieces = content[Symbol.asyncIterator]()
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        const { done, value } = await pieces.next()
        if (done) controller.close()
        else controller.enqueue(value)
      },
      async cancel() {
        await pieces.return?.()
      },
    },
    { highWaterMark: 1 },
  )
}
