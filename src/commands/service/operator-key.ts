import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Ids } from '../../core/ids.ts'

/** File in the data folder that contains what commands on this machine show to act as the operator. */
const KEY_FILE = 'operator-key'
const KEY_BYTES = 32

/**
 * Writes a new key into the data folder, which its owner alone can read. Whoever reads it could change the database as well.
 *
 * @returns the key, and a function that removes it.
 */
export function publishOperatorKey(
  dataDir: string,
  { secret }: Pick<Ids, 'secret'>,
): { key: string; remove: () => void } {
  const path = join(dataDir, KEY_FILE)
  const key = secret(KEY_BYTES)
  const remove = () => rmSync(path, { force: true })
  // A service that was killed left its own.
  remove()
  writeFileSync(path, key, { mode: 0o600, flag: 'wx' })
  return { key, remove }
}

/** Reads the key of the service that runs on a data folder; undefined without one. */
export function readOperatorKey(dataDir: string): string | undefined {
  const path = join(dataDir, KEY_FILE)
  return existsSync(path) ? readFileSync(path, 'utf8').trim() : undefined
}
