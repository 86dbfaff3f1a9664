import { rm } from 'node:fs/promises'
import { constants, setPriority } from 'node:os'
import { systemClock } from '../../core/clock.ts'
import { OperatorError } from '../../core/operator-error.ts'
import { UnreadableFile } from '../../core/unreadable-file.ts'
import { nameWorkFolder } from './contents.ts'
import { type BackupOrder, type BackupProgress, type MadeBackup, makeBackup } from './make.ts'

/** Makes a backup somewhere else than in the event loop. */
export type BackupMaker = (
  order: BackupOrder,
  tell: (progress: BackupProgress) => void,
  stop: AbortSignal,
) => Promise<MadeBackup>

/** A line that the process writes. */
type Line = { progress: BackupProgress } | { made: MadeBackup } | { fault: string; isExpected: boolean }

/**
 * Makes backups in a process of its own: SQLite is synchronous, and the check of a large copy takes a minute.
 *
 * @param command a command line that runs {@link runBackup}; the order and this process are appended.
 */
export const createBackupMaker =
  (command: readonly string[], env: Record<string, string>): BackupMaker =>
  async (order, tell, stop) => {
    const child = Bun.spawn([...command, JSON.stringify(order), String(process.pid)], {
      env,
      stdin: 'ignore',
      stdout: 'pipe',
      stderr: 'pipe',
      signal: stop,
      killSignal: 'SIGKILL',
    })
    const said = new Response(child.stderr).text()
    let last: Line | undefined
    for await (const line of readLines(child.stdout)) {
      last = line
      if ('progress' in line) tell(line.progress)
    }
    const code = await child.exited
    if (last && 'made' in last && code === 0) return last.made
    if (last && 'fault' in last) throw last.isExpected ? new OperatorError(last.fault) : new Error(last.fault)
    // It was killed, and has not tidied up.
    await rm(nameWorkFolder(order.folder, order.dataDir), { recursive: true, force: true })
    stop.throwIfAborted()
    throw new Error(`The backup ended with ${child.signalCode ?? code}: ${(await said).slice(0, 500)}`)
  }

async function* readLines(stream: ReadableStream<Uint8Array>): AsyncGenerator<Line> {
  const decoder = new TextDecoder()
  let rest = ''
  for await (const piece of stream) {
    const lines = (rest + decoder.decode(piece, { stream: true })).split('\n')
    rest = lines.pop() ?? ''
    for (const line of lines) yield JSON.parse(line) as Line
  }
}

/** Progress is told at most so often, in ms. */
const TOLD_MS = 200

/** The process behind {@link createBackupMaker}: `backup-process <order> <process id of the caller>`. */
export async function runBackup([text = '', caller]: readonly string[]): Promise<void> {
  // Ctrl+C and process managers signal the whole group; the caller decides when this process ends.
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => {})
  // Searches come first.
  setPriority(constants.priority.PRIORITY_LOW)
  const orphan = new AbortController()
  const order = JSON.parse(text) as BackupOrder
  let toldAt = Number.NEGATIVE_INFINITY
  let step = ''
  const write = (line: Line): void => void process.stdout.write(`${JSON.stringify(line)}\n`)
  try {
    const made = await makeBackup(order, {
      stop: orphan.signal,
      now: systemClock.now,
      tell(progress) {
        // Nobody would write down what becomes of it.
        if (process.ppid !== Number(caller)) orphan.abort(new Error('the caller has ended'))
        const now = systemClock.monotonic()
        if (progress.step === step && now - toldAt < TOLD_MS) return
        step = progress.step
        toldAt = now
        write({ progress })
      },
    })
    write({ made })
  } catch (error) {
    write({ fault: explain(error, order), isExpected: true })
    process.exitCode = 1
  }
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
