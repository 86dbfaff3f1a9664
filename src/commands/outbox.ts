import type { WaitingMail } from '../features/mail/outbox/service.ts'
import type { Command } from './command.ts'
import { withInstall } from './runtime.ts'

/** `lookalike outbox`. */
export const outbox: Command = {
  name: 'outbox',
  summary: 'list the mails that could not be sent, with their links; works while the service runs',
  options: [{ flag: 'json', meaning: 'print JSON' }],
  settings: ['DATA_DIR'],
  example: 'lookalike outbox --json',
  async run({ config, options }) {
    const mails = await withInstall(config, ({ outbox }) => outbox.list())
    if (options['json']) console.log(JSON.stringify(mails))
    else console.log(mails.length === 0 ? 'No mails are waiting.' : mails.map(formatMail).join('\n\n'))
    return 0
  },
}

const formatMail = ({ recipient, subject, created_at, text, last_error }: WaitingMail): string =>
  [
    `To       ${recipient}`,
    `Subject  ${subject}`,
    `Written  ${created_at}`,
    ...(last_error === null ? [] : [`Failed   ${last_error}`]),
    '',
    ...(text ?? 'The text cannot be decrypted: the secret of this install has changed.')
      .trimEnd()
      .split('\n')
      .map((line) => `  ${line}`),
  ].join('\n')
