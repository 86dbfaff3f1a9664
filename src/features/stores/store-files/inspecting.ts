import { Value as Check } from '@sinclair/typebox/value'
import { normaliseEmail } from '../../../core/email.ts'
import { LIMITS } from '../../../core/limits.ts'
import { OperatorError } from '../../../core/operator-error.ts'
import { malformed } from '../../../core/row-lines.ts'
import { decimalSize } from '../../../core/text.ts'
import type { BundlePart } from '../../../platform/archives/bundle.ts'
import type { BundleWish } from '../../../platform/archives/bundle-reader.ts'
import type { ImportDeps } from './import.ts'
import {
  PEOPLE,
  PEOPLE_BYTES_MAX,
  pictureOf,
  picturePart,
  readPart,
  SECRETS,
  SECRETS_BYTES_MAX,
  tableOf,
} from './parts.ts'
import { FileDetails, FilePeople } from './schema.ts'

/** A file that was read to its end and is whole. */
export interface Inspected {
  details: FileDetails
  people: FilePeople
  /** The secrets, if it holds any. */
  sealed: Uint8Array | undefined
  /** Bytes of each picture, by its hash. */
  pictures: Map<string, number>
  /** Of all parts. */
  bytes: number
}

/** Reads a store's file before anything is written. */
export function createInspection(deps: Pick<ImportDeps, 'tables' | 'readBundle' | 'schema'>) {
  /** Whether a part belongs into such a file. */
  const isKnown = (path: string): boolean => {
    const table = tableOf(path)
    if (table !== undefined) return deps.tables.includes(table)
    return path === PEOPLE || path === SECRETS || pictureOf(path) !== undefined
  }

  /** Reads the whole file before anything is written. @throws UnreadableFile, OperatorError. */
  async function inspect(path: string, wish: BundleWish, roomBytes: number): Promise<Inspected> {
    const small = new Map<string, Uint8Array>()
    const pictures = new Map<string, number>()
    let bytes = 0
    const manifest = await deps.readBundle(path, wish, {
      begin({ schema, version, parts }) {
        if (schema > deps.schema)
          throw new OperatorError(
            `The file is of a newer lookalike (${version}): install that one here first`,
          )
        for (const part of parts) {
          bytes += part.bytes
          const hash = pictureOf(part.path)
          if (hash !== undefined) pictures.set(hash, demandPicture(part, hash))
        }
        if (bytes > roomBytes)
          throw new OperatorError(
            `The store unpacks to ${decimalSize(bytes)}, and the disk of this install takes ${decimalSize(roomBytes)} more. Nothing was brought in: free some space first`,
          )
      },
      async take(part, content) {
        const max = part.path === PEOPLE ? PEOPLE_BYTES_MAX : SECRETS_BYTES_MAX
        if (part.path === PEOPLE || part.path === SECRETS)
          small.set(part.path, await readPart(part, content, max))
        else for await (const _ of content);
      },
    })
    const { details } = manifest
    if (!Check.Check(FileDetails, details)) throw malformed('its manifest does not describe a store')
    const found = parseJson(small.get(PEOPLE))
    if (!Check.Check(FilePeople, found)) throw malformed('its people are malformed')
    for (const { email } of [...found.members, ...found.makers])
      if (normaliseEmail(email) !== email) throw malformed('the address of a person')
    return { details, people: found, sealed: small.get(SECRETS), pictures, bytes }
  }

  return { isKnown, inspect }
}

/** @returns its bytes. @throws UnreadableFile for a picture that is not what its name says. */
function demandPicture({ path, bytes, sha256 }: BundlePart, hash: string): number {
  if (sha256 !== hash || bytes > LIMITS.pictureBytesMax || path !== picturePart(hash))
    throw malformed('a picture')
  return bytes
}

function parseJson(bytes: Uint8Array | undefined): unknown {
  try {
    return JSON.parse(Buffer.from(bytes ?? []).toString('utf8'))
  } catch {
    return undefined
  }
}
