import { lstat, open, readFile, rename, rm } from 'node:fs/promises'
import { OperatorError } from '../../core/operator-error.ts'

/** The proxy runs as another user. */
const READABLE = 0o644

/**
 * Replaces a file as a whole, so that a reader finds the old one or the new one. A file that is right already stays as it is.
 *
 * @returns whether it was written.
 * @throws OperatorError
 */
export async function replaceFile(path: string, text: string): Promise<boolean> {
  const part = `${path}.${process.pid}.part`
  try {
    const found = await lstat(path).catch(() => undefined)
    if (found && !found.isFile()) throw new OperatorError(`${path} is not a file`)
    if (found && (await readFile(path, 'utf8')) === text) return false
    const file = await open(part, 'wx', found ? found.mode & 0o777 : READABLE)
    try {
      await file.writeFile(text)
      await file.sync()
    } finally {
      await file.close()
    }
    await rename(part, path)
    return true
  } catch (error) {
    await rm(part, { force: true })
    if (error instanceof OperatorError) throw error
    throw new OperatorError(`Cannot write ${path}: ${(error as Error).message}`)
  }
}
