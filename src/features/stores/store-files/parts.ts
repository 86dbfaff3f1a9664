import { UnreadableFile } from '../../../core/unreadable-file.ts'
import type { BundlePart } from '../../../platform/archives/bundle.ts'

/** The people of the store, as JSON. */
export const PEOPLE = 'people.json'
/** Secrets, sealed with the passphrase. */
export const SECRETS = 'secrets.sealed'
export const PEOPLE_BYTES_MAX = 8 * 1024 * 1024
export const SECRETS_BYTES_MAX = 8 * 1024 * 1024

const ROWS = /^rows\/([a-z_]+)\.ndjson$/
const PICTURE = /^pictures\/([0-9a-f]{64})$/

export const rowsPart = (table: string): string => `rows/${table}.ndjson`
export const picturePart = (contentHash: string): string => `pictures/${contentHash}`

/** The table whose rows a part holds; undefined for another part. */
export const tableOf = (path: string): string | undefined => ROWS.exec(path)?.[1]

/** The hash of the picture that a part is; undefined for another part. */
export const pictureOf = (path: string): string | undefined => PICTURE.exec(path)?.[1]

/** Reads a small part. @throws UnreadableFile for one that is not. */
export async function readPart(
  { path, bytes }: BundlePart,
  content: AsyncIterable<Uint8Array>,
  max: number,
): Promise<Uint8Array> {
  if (bytes > max) throw new UnreadableFile(`The file holds a part that is too large: ${path}`)
  const pieces: Uint8Array[] = []
  for await (const piece of content) pieces.push(piece)
  return Buffer.concat(pieces)
}
