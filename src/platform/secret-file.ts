import { closeSync, fsyncSync, linkSync, mkdirSync, openSync, readFileSync, rmSync, writeSync } from 'node:fs'
import { dirname } from 'node:path'
import { syncFolder } from './sync-folder.ts'

/**
 * The secret in a file, which is made on first use: readable by the owner alone, and the same for everyone when two
 * processes make it at once.
 *
 * @param make gives a new secret and a unique name for the file while it is written.
 */
export function secretFile(path: string, make: () => { secret: string; uniqueName: string }): string {
  const known = readSecret(path)
  if (known !== undefined) return known
  const { secret, uniqueName } = make()
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
  const temporary = `${path}.${uniqueName}`
  const file = openSync(temporary, 'wx', 0o600)
  try {
    writeSync(file, secret)
    fsyncSync(file)
  } finally {
    closeSync(file)
  }
  try {
    // A link fails when somebody was faster, where a rename would replace his secret.
    linkSync(temporary, path)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  } finally {
    rmSync(temporary, { force: true })
  }
  // Its name has to be on the disk before the database says that there is a secret.
  for (const folder of [dirname(path), dirname(dirname(path))]) syncFolder(folder)
  return readSecret(path) ?? secret
}

/** The secret in a file, or undefined without one. @throws Error for an empty file: everybody knows that secret. */
export function readSecret(path: string): string | undefined {
  try {
    const secret = readFileSync(path, 'utf8').trim()
    if (secret === '') throw new Error(`The secret in ${path} is empty; delete the file to get a new one`)
    return secret
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
}
