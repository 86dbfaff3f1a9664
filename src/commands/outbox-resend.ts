import { OperatorError } from '../core/operator-error.ts'
import type { Command } from './command.ts'
import { withInstall } from './runtime.ts'

/** `lookalike outbox resend`. */
export const outboxResend: Command = {
  name: 'outbox resend',
  summary: 'try to send a waiting mail now; "outbox --json" shows the ids',
  positionals: ['ID'],
  options: [{ flag: 'json', meaning: 'print JSON' }],
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
