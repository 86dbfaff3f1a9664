import { closeSync, existsSync, fsyncSync, openSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { OperatorError } from '../../core/operator-error.ts'
import { DATABASE_FILE } from '../db/open.ts'
import { readWords, startGuarded } from './child.ts'
import { parseLogLine } from './position.ts'
import { buildRunEnvironment, type CopyAddress, writeRunFile } from './run-file.ts'

/** Logs that are fetched at a time. */
const PARALLEL = 8

/**
 * Brings the newest copy of a database onto this disk.
 *
 * @param target is replaced.
 * @returns false if there is no copy under this address.
 * @throws OperatorError with the reason that Litestream gives.
 */
export async function restoreCopy(
  program: string,
  dataDir: string,
  address: CopyAddress,
  target: string,
  stop: AbortSignal,
): Promise<boolean> {
  stop.throwIfAborted()
  for (const left of [
    target,
    `${target}.tmp`,
    `${target}-wal`,
    `${target}-shm`,
    `${target}.tmp-wal`,
    `${target}.tmp-shm`,
  ])
    rmSync(left, { force: true })
  const runFile = writeRunFile(dataDir, 'restore', address)
  const child = startGuarded(
    [
      ...[program, 'restore', '-no-expand-env', '-config', runFile, '-if-replica-exists'],
      ...['-parallelism', String(PARALLEL), '-o', target, join(dataDir, DATABASE_FILE)],
    ],
    buildRunEnvironment(dataDir, address.bucket),
  )
  stop.addEventListener('abort', child.kill, { once: true })
  let reason = ''
  try {
    for await (const text of readWords(child.stderr)) {
      const { level, msg = '', error } = parseLogLine(text)
      // What follows a fault that ends the program is its stack.
      if (level === 'ERROR') reason ||= `${msg}${error ? `: ${error}` : ''}`
    }
    const code = await child.exited
    stop.throwIfAborted()
    if (code !== 0)
      throw new OperatorError(`The copy was not restored: ${reason || `Litestream ended with ${code}`}.`)
  } finally {
    stop.removeEventListener('abort', child.kill)
    child.kill()
  }
  if (!existsSync(target)) return false
  const file = openSync(target, 'r')
  try {
    fsyncSync(file)
  } finally {
    closeSync(file)
  }
  return true
}
