import { createHash } from 'node:crypto'
import { readdirSync } from 'node:fs'
import { basename, join, resolve } from 'node:path'
import type { EmbeddedPart } from './embedded.ts'
import { type PlacedPart, UnpackError } from './unpack.ts'
import { earlySetting } from './unpack-base.ts'

/** Names the folder of the operator's own libraries, for this process and for the ones it starts. */
export const libraryDirVariable = 'LIBRARY_DIR'

/** The absolute path of that folder, or undefined; libraries load before any setting is read, so it is read apart. */
export function libraryDir(
  argv: readonly string[],
  env: Readonly<Record<string, string | undefined>>,
): string | undefined {
  const dir = earlySetting(argv, env, libraryDirVariable)
  return dir === undefined ? undefined : resolve(dir)
}

/** Libraries may be replaced; a model has a setting of its own. */
const isLibrary = (name: string): boolean => /\.node$|\.dylib$|\.so(\.|$)/.test(name)

/** The file names of a part that a folder holds libraries for. @throws UnpackError when it cannot be read. */
export function librariesFor(content: EmbeddedPart, dir: string): string[] {
  const there = new Set(entriesOf(dir))
  return content.files.map(({ name }) => name).filter((name) => isLibrary(name) && there.has(basename(name)))
}

/**
 * A part with the libraries of a folder in the places of those with the same file name.
 *
 * The others lie beside them as copies, since libraries look for each other in relative places, and a library that is
 * loaded through a link looks where the link stands. So the folder itself is only read.
 *
 * @throws UnpackError when the folder cannot be read.
 */
export function withLibraries(content: EmbeddedPart, dir: string): PlacedPart {
  const replaced = new Set(librariesFor(content, dir))
  if (replaced.size === 0) return content
  const files = content.files.map((file) =>
    replaced.has(file.name) ? { name: file.name, linkTo: join(dir, basename(file.name)) } : file,
  )
  const links = files.flatMap((file) => ('linkTo' in file ? [file.name, file.linkTo] : []))
  const hash = createHash('sha256').update([content.hash, ...links].join('\0'))
  return { hash: hash.digest('hex').slice(0, 16), files }
}

function entriesOf(dir: string): string[] {
  try {
    return readdirSync(dir)
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    throw new UnpackError(`${libraryDirVariable} cannot be read: ${reason}`, 'ELIBRARYDIR')
  }
}
