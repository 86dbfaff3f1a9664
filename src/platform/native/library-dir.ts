import { createHash } from 'node:crypto'
import { readdirSync } from 'node:fs'
import { basename, join, resolve } from 'node:path'
import type { EmbeddedPart } from './embedded.ts'
import { type PlacedPart, UnpackError } from './unpack.ts'
import { readEarlySetting } from './unpack-base.ts'

/** Variable that names the folder of the operator's own libraries, for this process and its children. */
export const libraryDirVariable = 'LIBRARY_DIR'

/** Reads the absolute path of that folder, if set. Libraries load before the settings, hence the separate reader. */
export function readLibraryDir(
  argv: readonly string[],
  env: Readonly<Record<string, string | undefined>>,
): string | undefined {
  const dir = readEarlySetting(argv, env, libraryDirVariable)
  return dir === undefined ? undefined : resolve(dir)
}

/** Libraries may be replaced; a model has a setting of its own. */
const isLibrary = (name: string): boolean => /\.node$|\.dylib$|\.so(\.|$)/.test(name)

/** Names the files of a part that a folder has libraries for. @throws UnpackError when the folder cannot be read. */
export function findLibraries(content: EmbeddedPart, dir: string): string[] {
  const entries = new Set(listEntries(dir))
  return content.files
    .map(({ name }) => name)
    .filter((name) => isLibrary(name) && entries.has(basename(name)))
}

/**
 * Replaces libraries of a part with those of the same file name in a folder, by links.
 *
 * The other libraries of the part are copied next to the links: libraries find each other by relative paths, and one
 * that is loaded through a link searches the link's folder. The operator's folder is therefore only read.
 *
 * @throws UnpackError when the folder cannot be read.
 */
export function replaceLibraries(content: EmbeddedPart, dir: string): PlacedPart {
  const replaced = new Set(findLibraries(content, dir))
  if (replaced.size === 0) return content
  const files = content.files.map((file) =>
    replaced.has(file.name) ? { name: file.name, linkTo: join(dir, basename(file.name)) } : file,
  )
  const links = files.flatMap((file) => ('linkTo' in file ? [file.name, file.linkTo] : []))
  const hash = createHash('sha256').update([content.hash, ...links].join('\0'))
  return { hash: hash.digest('hex').slice(0, 16), files }
}

function listEntries(dir: string): string[] {
  try {
    return readdirSync(dir)
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    throw new UnpackError(`${libraryDirVariable} cannot be read: ${reason}`, 'ELIBRARYDIR')
  }
}
