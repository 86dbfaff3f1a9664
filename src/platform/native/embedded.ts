/** Groups of embedded files; a command unpacks only the groups that it loads. */
export type PartName = UsualPart | 'litestream'

/** The groups that every executable carries; Litestream comes with `bun build.ts --litestream` alone. */
export type UsualPart = 'sqlite' | 'argon2' | 'sharp' | 'onnxruntime' | 'model'

/** One file inside the executable. */
export interface EmbeddedFile {
  /** Path below the part's folder, separated by `/`. */
  name: string
  /** Path of its packed form (`packed.ts`) for `node:fs`: inside the executable, or on disk in a test. */
  source: string
  /** The result of `hashFile` for the packed form. */
  sourceHash: string
  /** Size and hash once it is unpacked. */
  sizeBytes: number
  hash: string
  /** Whether it is a program, which is started and not loaded. */
  isProgram?: boolean
}

/** Files that must stay together, because shared libraries find each other by relative paths. */
export interface EmbeddedPart {
  /** SHA-256 over the names and contents of the files, the first 16 hex digits. */
  hash: string
  files: readonly EmbeddedFile[]
}

/** The contents of the executable. */
export interface Embedded {
  /** Folder name of the bundled model. */
  model: string
  /** The model's fingerprint, computed by the build: hashing takes a third of the startup time. */
  modelHash: string
  parts: Readonly<Record<UsualPart, EmbeddedPart> & { litestream?: EmbeddedPart }>
}

/**
 * The contents of this executable, or undefined when the program runs from source.
 *
 * `bun build.ts` replaces this file with a generated module.
 */
export const embedded: Embedded | undefined = undefined as Embedded | undefined
