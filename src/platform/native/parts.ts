import { basename, dirname, join } from 'node:path'
import { type Embedded, embedded, type PartName } from './embedded.ts'
import { explainOldGlibc } from './glibc.ts'
import { findLibraries, libraryDirVariable, readLibraryDir, replaceLibraries } from './library-dir.ts'
import { isPlaced, type PlacedPart, UnpackError, unpackPart } from './unpack.ts'
import { unpackBases, unpackDirVariable } from './unpack-base.ts'

const folders = new Map<PartName, string>()

/** The preferred folder for unpacked parts; undefined when the program runs from source. */
export function unpackDir(): string | undefined {
  if (embedded === undefined) return undefined
  return unpackBases(process.argv.slice(2), process.env)[0]?.()
}

/** The folder of libraries that replace the unpacked ones, if any. */
export const ownLibraryDir = (): string | undefined => readLibraryDir(process.argv.slice(2), process.env)

/** Names the unpacked libraries that {@link ownLibraryDir} replaces; none when the program runs from source. */
export function listReplacedLibraries(): string[] {
  const dir = ownLibraryDir()
  if (dir === undefined || embedded === undefined) return []
  return Object.values(embedded.parts).flatMap((part) =>
    findLibraries(part, dir).map((name) => basename(name)),
  )
}

/**
 * Finds the folder on disk that holds a part of this executable, and unpacks the part if needed.
 *
 * @throws UnpackError when no folder can be written; Error when the program runs from source.
 */
function partFolder(part: PartName): string {
  const known = folders.get(part)
  if (known !== undefined) return known
  if (embedded === undefined) throw new Error('Only the executable carries unpacked parts')
  const content = placedPart(embedded, part)
  let refusal: UnpackError | undefined
  for (const base of unpackBases(process.argv.slice(2), process.env)) {
    try {
      const dir = base()
      const folder = unpackPart(part, content, dir, reportDamage)
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

function placedPart({ parts }: Embedded, part: PartName): PlacedPart {
  const libraries = ownLibraryDir()
  const content = parts[part]
  if (content === undefined) throw new Error(`This executable carries no ${part}`)
  return libraries === undefined ? content : replaceLibraries(content, libraries)
}

/** Whether this executable carries a part; none when the program runs from source. */
export const carriesPart = (part: PartName): boolean => embedded?.parts[part] !== undefined

/**
 * Names those of the parts that no earlier start has unpacked; none when the program runs from source. Looks at names and
 * sizes only.
 */
export function listMissing(parts: readonly PartName[]): PartName[] {
  if (embedded === undefined) return []
  const content = embedded
  return orExit(() => {
    // Every command that serves loads this part, and one folder takes all.
    const base = dirname(partFolder('sqlite'))
    return parts.filter((part) => !isPlaced(part, placedPart(content, part), base))
  })
}

/** The folder that this process unpacks parts into; undefined before the first one, and when the program runs from source. */
export const unpackedBase = (): string | undefined => {
  const [folder] = folders.values()
  return folder === undefined ? undefined : dirname(folder)
}

/** The bytes that unpacking parts will take; 0 when they are there, or when the program runs from source. */
export const countMissingBytes = (parts: readonly PartName[]): number =>
  listMissing(parts)
    .flatMap((part) => embedded?.parts[part]?.files ?? [])
    .reduce((sum, { sizeBytes }) => sum + sizeBytes, 0)

/** The process behind `unpackApart`: `unpack <part> ...`. Those who load a part explain why it cannot be unpacked. */
export function runUnpacking(parts: readonly string[]): void {
  try {
    for (const part of parts) if (isPartName(part)) partFolder(part)
  } catch (error) {
    if (!(error instanceof UnpackError)) throw error
    process.exitCode = 1
  }
}

const isPartName = (name: string): name is PartName => embedded !== undefined && name in embedded.parts

const reportDamage = (path: string): void =>
  void process.stderr.write(`lookalike: ${path} was damaged and has been unpacked again\n`)

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
      const text =
        explainOldGlibc(message) ?? `cannot load ${path}: ${message} (${suggestFix(part, message)})`
      throw new UnpackError(text, 'ELOAD')
    }
    return addon.exports
  })
}

/** Suggests how the operator can fix a library that does not load. */
function suggestFix(part: PartName, message: string): string {
  const folder = partFolder(part)
  if (message.includes('failed to map segment'))
    return `is the volume mounted noexec? Name another folder in ${unpackDirVariable}`
  if (basename(folder) !== `${part}-${embedded?.parts[part]?.hash}`)
    return `${libraryDirVariable} replaces some of its libraries`
  return `${dirname(folder)} is safe to delete, the next start creates it again`
}

/** The path of an unpacked file for a library that loads it itself; ends the program like {@link loadAddon}. */
export function unpackedFile(part: PartName, name: string): string {
  return orExit(() => join(partFolder(part), name))
}

/** Exits on an UnpackError. No command works without its native parts, and an import that loads them has no catch. */
function orExit<Value>(load: () => Value): Value {
  try {
    return load()
  } catch (error) {
    if (!(error instanceof UnpackError)) throw error
    process.stderr.write(`lookalike: ${error.message}\n`)
    process.exit(1)
  }
}
