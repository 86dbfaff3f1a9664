import { OperatorError } from '../core/operator-error.ts'
import type { WaitingMail } from '../features/mail/outbox/service.ts'
import type { Command } from './cli/command.ts'
import { JSON_OPTION } from './cli/options.ts'
import { withInstall } from './service/with-install.ts'

const list: Command = {
  name: 'outbox',
  summary: 'list the mails that could not be sent, with their links; works while the service runs',
  options: [JSON_OPTION],
  settings: ['DATA_DIR'],
  example: 'lookalike outbox --json',
  async run({ config, options }) {
    const mails = await withInstall(config, ({ outbox }) => outbox.list())
    if (options['json']) console.log(JSON.stringify(mails))
    else console.log(mails.length === 0 ? 'No mails are waiting.' : mails.map(formatMail).join('\n\n'))
    return 0
  },
}

const resend: Command = {
  name: 'outbox resend',
  summary: 'try to send a waiting mail now; "outbox --json" shows the ids',
  positionals: ['ID'],
  options: [JSON_OPTION],
  settings: ['DATA_DIR', 'SMTP_URL', 'MAIL_FROM'],
  example: 'lookalike outbox resend 0192f3a0-7b1c-7d2e-9f3a-1b2c3d4e5f60',
  async run({ config, options, positionals: [id = ''] }) {
    const sent = await withInstall(config, ({ outbox }) => outbox.resend(id))
    if (!sent) throw new OperatorError(`No mail with the id ${id} waits`)
    const { isSent, lastError } = sent
    if (options['json']) {
      console.log(JSON.stringify({ id, status: isSent ? 'delivered' : 'waiting', last_error: lastError }))
    } else {
      console.log(
        isSent ? 'The mail server has taken the mail' : `The mail still waits: ${lastError ?? NO_SERVER}`,
      )
    }
    return isSent ? 0 : 1
  },
}

const NO_SERVER = 'this command knows no mail server; set SMTP_URL and MAIL_FROM as for the service'

/** `lookalike outbox …`. `outbox resend` comes before the command whose name begins the same way. */
export const outboxCommands: readonly Command[] = [resend, list]

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
