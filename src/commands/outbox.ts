import type { WaitingMail } from '../features/delivery/mail/service.ts'
import type { Command } from './command.ts'
import { withInstall } from './runtime.ts'

/** `lookalike outbox`. */
export const outbox: Command = {
  name: 'outbox',
  summary: 'show the mails that could not be sent, with their links; works beside a running service',
  options: [{ flag: 'json', meaning: 'print JSON' }],
  settings: ['DATA_DIR'],
  example: 'lookalike outbox --json',
  async run({ config, options }) {
    const mails = await withInstall(config, ({ outbox }) => outbox.list())
    if (options['json']) console.log(JSON.stringify(mails))
    else console.log(mails.length === 0 ? 'No mail waits.' : mails.map(forPeople).join('\n\n'))
    return 0
  },
}

const forPeople = ({ recipient, subject, created_at, text, last_error }: WaitingMail): string =>
  [
    `To       ${recipient}`,
    `Subject  ${subject}`,
    `Written  ${created_at}`,
    ...(last_error === null ? [] : [`Failed   ${last_error}`]),
    '',
    ...(text ?? 'The text cannot be decrypted: the secret of this install was changed.')
      .trimEnd()
      .split('\n')
      .map((line) => `  ${line}`),
  ].join('\n')
