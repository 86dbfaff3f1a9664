import { basename, dirname, join } from 'node:path'
import { embedded, type PartName } from './embedded.ts'
import { librariesFor, libraryDir, libraryDirVariable, withLibraries } from './library-dir.ts'
import { UnpackError, unpackPart } from './unpack.ts'
import { unpackBases, unpackDirVariable } from './unpack-base.ts'

const folders = new Map<PartName, string>()

/** The folder that parts are unpacked into, or would be; undefined when the program runs from its sources. */
export function unpackDir(): string | undefined {
  if (embedded === undefined) return undefined
  return unpackBases(process.argv.slice(2), process.env)[0]?.()
}

/** The folder whose libraries are used instead of the unpacked ones; undefined without one. */
export const ownLibraryDir = (): string | undefined => libraryDir(process.argv.slice(2), process.env)

/** File names of the unpacked libraries that {@link ownLibraryDir} replaces; none when the program runs from its sources. */
export function replacedLibraries(): string[] {
  const dir = ownLibraryDir()
  if (dir === undefined || embedded === undefined) return []
  return Object.values(embedded.parts).flatMap((part) =>
    librariesFor(part, dir).map((name) => basename(name)),
  )
}

/**
 * The folder on disk that holds a part of this executable, written there if need be.
 *
 * @throws UnpackError when no folder can be written, Error when the program runs from its sources.
 */
function partFolder(part: PartName): string {
  const known = folders.get(part)
  if (known !== undefined) return known
  if (embedded === undefined) throw new Error('Only the executable carries unpacked parts')
  const libraries = ownLibraryDir()
  const content =
    libraries === undefined ? embedded.parts[part] : withLibraries(embedded.parts[part], libraries)
  let refusal: UnpackError | undefined
  for (const base of unpackBases(process.argv.slice(2), process.env)) {
    try {
      const dir = base()
      const folder = unpackPart(part, content, dir, tellOfDamage)
      process.env[unpackDirVariable] = dir
      folders.set(part, folder)
      return folder
    } catch (error) {
      if (!(error instanceof UnpackError)) throw error
      if (!error.isRefused) throw error
      refusal ??= error
    }
  }
  throw refusal ?? new Error('No folder to unpack into')
}

const tellOfDamage = (path: string): void =>
  void process.stderr.write(`lookalike: ${path} was damaged and is unpacked again\n`)

/**
 * Loads a Node addon of this executable; ends the program with one clear line when that cannot be done.
 *
 * @public Called by the loaders that `scripts/build/loaders.ts` writes.
 */
export function loadAddon(part: PartName, name: string): unknown {
  return orExit(() => {
    const path = join(partFolder(part), name)
    const addon: { exports: unknown } = { exports: {} }
    try {
      process.dlopen(addon, path)
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error)
      throw new UnpackError(`cannot load ${path}: ${message} (${hintOf(part, message)})`, 'ELOAD')
    }
    return addon.exports
  })
}

/** What the operator may do about a library that the system does not load. */
function hintOf(part: PartName, message: string): string {
  const folder = partFolder(part)
  if (message.includes('failed to map segment'))
    return `a volume mounted noexec? Name another folder in ${unpackDirVariable}`
  if (basename(folder) !== `${part}-${embedded?.parts[part].hash}`)
    return `${libraryDirVariable} replaces libraries of it`
  return `${dirname(folder)} may always be deleted, it is made again at the next start`
}

/** The path of an unpacked file that another library loads by itself; ends the program like {@link loadAddon}. */
export function unpackedFile(part: PartName, name: string): string {
  return orExit(() => join(partFolder(part), name))
}

/** Without its native parts no command can go on, and the place that loads them is often an import, out of reach of any catch. */
function orExit<Value>(load: () => Value): Value {
  try {
    return load()
  } catch (error) {
    if (!(error instanceof UnpackError)) throw error
    process.stderr.write(`lookalike: ${error.message}\n`)
    process.exit(1)
  }
}
