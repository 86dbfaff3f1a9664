import { closeSync, fsyncSync, linkSync, mkdirSync, openSync, readFileSync, rmSync, writeSync } from 'node:fs'
import { dirname } from 'node:path'
import { syncFolder } from './sync-folder.ts'

/**
 * Reads the secret in a file, and creates it on first use. Only the owner can read the file. Two processes that create
 * it at the same time get the same secret.
 *
 * @param make gives a new secret and a unique suffix for the temporary file.
 */
export function ensureSecret(path: string, make: () => { secret: string; uniqueName: string }): string {
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
    // A link fails when another process was faster, where a rename would replace its secret.
    linkSync(temporary, path)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  } finally {
    rmSync(temporary, { force: true })
  }
  // The file's name must be on disk before the database says that there is a secret.
  for (const folder of [dirname(path), dirname(dirname(path))]) syncFolder(folder)
  return readSecret(path) ?? secret
}

/** Reads the secret in a file, if there is one. @throws Error for an empty file, whose secret anyone could guess. */
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
