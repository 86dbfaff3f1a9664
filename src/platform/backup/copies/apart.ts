import { parseCidrs } from '../../../core/networks.ts'
import { OperatorError } from '../../../core/operator-error.ts'
import { runAsChild, runChild } from '../child.ts'
import { type CopyOrder, type SentCopy, sendCopy } from './send.ts'
import { openPlace, type TargetSettings } from './target.ts'

/** What the process is told. It holds the secret of the bucket. */
interface CopyTask {
  order: CopyOrder
  /** By `BACKUP_TO`. */
  address: string
  installId: string
  settings: TargetSettings & { FETCH_ALLOW_CIDRS: string }
}

interface CopyProgress {
  share: number
}

/** Sends copies in a process of its own: the encryption of a large backup takes minutes of a core. */
export async function sendApart(
  command: readonly string[],
  env: Record<string, string>,
  task: CopyTask,
  tell: (share: number) => void,
  stop: AbortSignal,
): Promise<SentCopy> {
  const ended = await runChild<CopyProgress, SentCopy>([...command, String(process.pid)], {
    ...{ env, stop, input: JSON.stringify(task) },
    tell: ({ share }) => tell(share),
  })
  if ('made' in ended) return ended.made
  stop.throwIfAborted()
  throw new Error(`Sending the copy ended with ${ended.killedBy}`)
}

/** The process behind {@link sendApart}: `copy-process <process id of the caller>`, with the task as its input. */
export async function runCopy([caller]: readonly string[]): Promise<void> {
  await runAsChild<CopyProgress & { step?: string }, SentCopy>(
    Number(caller),
    async (tell, stop) => {
      const { order, address, installId, settings } = (await Bun.stdin.json()) as CopyTask
      const place = openPlace(address, installId, settings, parseCidrs(settings.FETCH_ALLOW_CIDRS), stop)
      return sendCopy(order, place, (share) => {
        tell({ share, step: '' })
        stop.throwIfAborted()
      })
    },
    explain,
  )
}

function explain(error: unknown): string {
  if (error instanceof OperatorError) return error.message
  const { code, message } = error as NodeJS.ErrnoException
  return `${message}${code ? ` (${code})` : ''}`
}
