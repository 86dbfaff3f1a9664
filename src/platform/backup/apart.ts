import { rm } from 'node:fs/promises'
import { systemClock } from '../../core/clock.ts'
import { OperatorError } from '../../core/operator-error.ts'
import { UnreadableFile } from '../../core/unreadable-file.ts'
import { runAsChild, runChild } from './child.ts'
import { nameWorkFolder } from './contents.ts'
import { type BackupOrder, type BackupProgress, type MadeBackup, makeBackup } from './make.ts'

/** Makes a backup somewhere else than in the event loop. */
export type BackupMaker = (
  order: BackupOrder,
  tell: (progress: BackupProgress) => void,
  stop: AbortSignal,
) => Promise<MadeBackup>

/**
 * Makes backups in a process of its own: SQLite is synchronous, and the check of a large copy takes a minute.
 *
 * @param command a command line that runs {@link runBackup}; the order and this process are appended.
 */
export const createBackupMaker =
  (command: readonly string[], env: Record<string, string>): BackupMaker =>
  async (order, tell, stop) => {
    const ended = await runChild<BackupProgress, MadeBackup>(
      [...command, JSON.stringify(order), String(process.pid)],
      { env, tell, stop },
    )
    if ('made' in ended) return ended.made
    // It was killed, and has not tidied up.
    await rm(nameWorkFolder(order.folder, order.dataDir), { recursive: true, force: true })
    stop.throwIfAborted()
    throw new Error(`The backup ended with ${ended.killedBy}`)
  }

/** The process behind {@link createBackupMaker}: `backup-process <order> <process id of the caller>`. */
export async function runBackup([text = '', caller]: readonly string[]): Promise<void> {
  const order = JSON.parse(text) as BackupOrder
  await runAsChild<BackupProgress, MadeBackup>(
    Number(caller),
    (tell, stop) => makeBackup(order, { stop, now: systemClock.now, tell }),
    (error) => explain(error, order),
  )
}

function explain(error: unknown, { folder }: BackupOrder): string {
  if (error instanceof OperatorError || error instanceof UnreadableFile) return error.message
  const { code, message } = error as NodeJS.ErrnoException
  if (code === 'ENOSPC' || code === 'EDQUOT' || code === 'SQLITE_FULL')
    return `The disk of ${folder} is full.`
  if (code === 'EACCES' || code === 'EROFS' || code === 'EPERM')
    return `${folder} is not writable: check that it belongs to this user.`
  return `${message}${code ? ` (${code})` : ''}`
}
