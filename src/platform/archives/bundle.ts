import { type Static, Type } from '@sinclair/typebox'
import { Value } from '@sinclair/typebox/value'
import { UnreadableFile } from '../../core/unreadable-file.ts'

/**
 * The one file of a backup, or of a store: a tar archive in one zstd frame, followed by a seal.
 *
 * The first entry is the manifest, which names every part in the order in which the parts follow, with its size and hash. The
 * seal holds the SHA-256 of everything before it, in a frame that `zstd` skips. So `tar --zstd -xf` unpacks the file, and no
 * byte of it can change unnoticed.
 */
export const MANIFEST_NAME = 'manifest.json'
/** A later version of the format has a higher number, and older programs refuse it. */
const BUNDLE_FORMAT = 1
/** Enough for half a million parts. */
export const MANIFEST_BYTES_MAX = 64 * 1024 * 1024
export const PIECE_BYTES = 256 * 1024
/** The memory that unpacking may take; level 3 asks for 2 MiB. */
export const WINDOW_LOG_MAX = 24

const SEAL_MAGIC = 0x184d2a5c
const HASH_BYTES = 32
const SEAL_MARK = Buffer.from('lookalike bundle')
export const SEAL_BYTES = 8 + SEAL_MARK.length + HASH_BYTES

/** Formats the end of a file, a skippable frame of zstd. */
export function formatSeal(hash: Buffer): Buffer {
  const head = Buffer.alloc(8)
  head.writeUInt32LE(SEAL_MAGIC, 0)
  head.writeUInt32LE(SEAL_MARK.length + hash.length, 4)
  return Buffer.concat([head, SEAL_MARK, hash])
}

/** Whether the end of a file is the seal of everything before it. */
export const isSeal = (end: Buffer, hash: Buffer): boolean => end.equals(formatSeal(hash))

/** Whether the end of a file looks like a seal at all. */
export const looksSealed = (end: Buffer): boolean =>
  end.length === SEAL_BYTES && end.subarray(8, 8 + SEAL_MARK.length).equals(SEAL_MARK)

/** Names that every file system takes, that fit into a plain tar header, and that lead nowhere else. */
const PATH = /^[A-Za-z0-9_-][A-Za-z0-9._-]*(\/[A-Za-z0-9_-][A-Za-z0-9._-]*)*$/
const PATH_CHARS_MAX = 99

export const isPartPath = (path: string): boolean => path.length <= PATH_CHARS_MAX && PATH.test(path)

const BundlePart = Type.Object({
  path: Type.String({ maxLength: PATH_CHARS_MAX }),
  bytes: Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER }),
  sha256: Type.String({ pattern: '^[0-9a-f]{64}$' }),
})

const BundleManifest = Type.Object({
  format: Type.Literal(BUNDLE_FORMAT),
  kind: Type.Union([Type.Literal('backup'), Type.Literal('store')]),
  /** The version of the program that made it. */
  version: Type.String({ maxLength: 100 }),
  /** The version of the database's schema. */
  schema: Type.Integer({ minimum: 1 }),
  /** The id of the model that made the vectors. */
  model: Type.String({ maxLength: 200 }),
  /** ISO 8601. */
  made_at: Type.String({ maxLength: 40 }),
  /** What it holds, for people and to be compared. */
  counts: Type.Record(Type.String({ maxLength: 100 }), Type.Integer({ minimum: 0 })),
  parts: Type.Array(BundlePart),
  /** What else this kind of file says of itself; its reader checks it. */
  details: Type.Optional(Type.Unknown()),
})

/** A file in the archive. */
export type BundlePart = Static<typeof BundlePart>
export type BundleManifest = Static<typeof BundleManifest>
export type BundleKind = BundleManifest['kind']

/**
 * Reads a manifest that somebody else may have written.
 *
 * @param isKnown whether a part of this path belongs into such a file.
 * @throws UnreadableFile
 */
export function parseManifest(
  text: string,
  kind: BundleKind,
  isKnown: (path: string) => boolean,
): BundleManifest {
  const manifest = parseJson(text)
  const { format, version } = manifest as { format?: unknown; version?: unknown }
  if (typeof format === 'number' && format > BUNDLE_FORMAT) {
    const maker = typeof version === 'string' ? `: lookalike ${version.slice(0, 100)} made it` : ''
    throw new UnreadableFile(`The file has a newer format than this program knows${maker}`)
  }
  if (!Value.Check(BundleManifest, manifest))
    throw new UnreadableFile('The manifest of the file is malformed')
  if (manifest.kind !== kind)
    throw new UnreadableFile(`The file is ${NAMES[manifest.kind]}, and ${NAMES[kind]} is needed here`)
  const paths = new Set<string>()
  for (const { path } of manifest.parts) {
    if (!isPartPath(path) || path === MANIFEST_NAME)
      throw new UnreadableFile(`The file names a part outside itself: ${JSON.stringify(path)}`)
    if (!isKnown(path)) throw new UnreadableFile(`The file holds a part that does not belong there: ${path}`)
    if (paths.has(path)) throw new UnreadableFile(`The file holds a part twice: ${path}`)
    paths.add(path)
  }
  return manifest
}

const NAMES: Readonly<Record<BundleKind, string>> = { backup: 'a backup', store: 'the file of one store' }

function parseJson(text: string): unknown {
  try {
    const value: unknown = JSON.parse(text)
    if (typeof value === 'object' && value !== null) return value
  } catch {
    // Told below.
  }
  throw new UnreadableFile('The manifest of the file is malformed')
}

/** Bytes of all parts, unpacked. */
export const sumBytes = (parts: readonly BundlePart[]): number => {
  let sum = 0
  for (const { bytes } of parts) sum += bytes
  return sum
}
