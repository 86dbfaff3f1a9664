/** The groups in which embedded files are unpacked; a command unpacks only the groups that it loads. */
export type PartName = 'sqlite' | 'argon2' | 'sharp' | 'onnxruntime' | 'model'

/** One file inside the executable. */
export interface EmbeddedFile {
  /** Where the file belongs below its part's folder, with `/` between names. */
  name: string
  /** A path that `node:fs` can read: inside the executable, or on disk in a test. */
  source: string
  sizeBytes: number
  /** What `fileHash` gives for it. */
  hash: string
}

/** Files that must lie together, since shared libraries find each other by relative paths. */
export interface EmbeddedPart {
  /** SHA-256 over the names and contents of the files, the first 16 hex digits. */
  hash: string
  files: readonly EmbeddedFile[]
}

/** What the executable carries. */
export interface Embedded {
  /** Folder name of the bundled model. */
  model: string
  /** The model's fingerprint, worked out while building: hashing it takes a third of the start. */
  modelHash: string
  parts: Readonly<Record<PartName, EmbeddedPart>>
}

/**
 * What this executable carries, or undefined when the program runs from its sources.
 *
 * `bun build.ts` puts a generated module in the place of this whole file.
 */
export const embedded: Embedded | undefined = undefined as Embedded | undefined
