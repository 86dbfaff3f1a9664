import { resolve } from 'node:path'
import { OperatorError } from '../core/operator-error.ts'
import { counted, sizeInWords } from '../core/text.ts'
import type { Backup } from '../features/operation/backups/schema.ts'
import type { Command } from './cli/command.ts'
import { createStopSignal } from './cli/stop-signal.ts'
import { withInstall } from './service/with-install.ts'

const STEPS = {
  copying: 'copying the database',
  packing: 'packing',
  trying: 'opening and trying it',
} as const

/** `lookalike backup`. */
export const backup: Command = {
  name: 'backup',
  summary: 'write the whole install into one file, and try the file; the service may run meanwhile',
  options: [
    {
      flag: 'to',
      value: 'FOLDER',
      meaning: 'where the file goes; default: BACKUP_DIR, where only the newest BACKUP_KEEP files stay',
    },
    {
      flag: 'no-secrets',
      meaning: 'leave out the keys of the install: sealed values and sign-ins are then lost without secrets/',
    },
    { flag: 'json', meaning: 'print JSON' },
  ],
  settings: [
    ...(['DATA_DIR', 'BACKUP_DIR', 'BACKUP_KEEP'] as const),
    ...(['BASE_URL', 'HOST', 'PORT', 'SMTP_URL', 'MAIL_FROM'] as const),
    ...(['BACKUP_TO', 'BACKUP_TO_KEEP'] as const),
    ...(['S3_ENDPOINT', 'S3_REGION', 'S3_ACCESS_KEY_ID', 'S3_SECRET_ACCESS_KEY'] as const),
    ...(['OFFLINE', 'FETCH_ALLOW_CIDRS', 'WEBHOOK_ALLOW_CIDRS'] as const),
  ],
  essentials: ['DATA_DIR', 'BACKUP_DIR', 'BACKUP_KEEP'],
  example: 'lookalike backup --to /mnt/backups',
  async run({ config, options }) {
    const stop = createStopSignal()
    const made = await withInstall(config, async ({ backups }) => {
      try {
        return await backups.run({
          startedBy: 'command',
          folder: options['to'] === undefined ? undefined : resolve(options['to']),
          hasSecrets: options['no-secrets'] === undefined,
          stop,
          tell: ({ step, share }) => show(`${Math.floor(share * 100)} %  ${STEPS[step]}`),
        })
      } catch (error) {
        if (!stop.aborted) throw error
        throw new OperatorError('Stopped. No backup was written.')
      } finally {
        show('')
      }
    })
    console.log(options['json'] ? JSON.stringify(made) : format(made))
    const fault = findCopyFault(made, config.BACKUP_TO)
    if (fault !== undefined) console.error(fault)
    // The backup counts, whoever waits for it (an upgrade does), and the service sends the copy again.
    return 0
  },
}

/** Shows how far it is, on a terminal alone. */
function show(text: string): void {
  if (process.stderr.isTTY) process.stderr.write(`\r\x1b[K${text}`)
}

/** What keeps the copy from lying elsewhere, though the backup is good. */
function findCopyFault({ copy }: Backup, to: string): string | undefined {
  if (to === '' || copy?.state === 'copied' || copy?.state === 'sending') return undefined
  if (copy?.error) return `Its copy did not arrive: ${copy.error}`
  return 'It was not copied to BACKUP_TO: make the key of copies with "lookalike backup key".'
}

const format = ({ file, bytes, counts, has_secrets, copy }: Backup): string =>
  `${file}
${sizeInWords(bytes ?? 0)}, ${counted(counts?.['stores'] ?? 0, 'store')}, ${counted(counts?.['products'] ?? 0, 'product')}; opened and tried.
${
  has_secrets
    ? 'It holds the keys of the install: keep it where only you can read it.'
    : 'The keys of the install are not in it: keep a copy of secrets/ in the data folder, too.'
}${copy?.address ? `\nCopied to ${copy.address}, encrypted.` : ''}`
