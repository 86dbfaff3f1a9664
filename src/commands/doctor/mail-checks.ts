import type { Config } from '../../config.ts'
import { checkMailServer, createMailer, MailError } from '../../platform/mail/mailer.ts'
import type { Egress } from '../../platform/outbound/egress.ts'
import { type Check, error, ok } from './check.ts'

const CURES: Partial<Record<MailError['reason'], string>> = {
  auth: 'Check user and password in SMTP_URL',
  blocked: 'Add the network of the mail server to FETCH_ALLOW_CIDRS, or set OFFLINE=0',
  dns: 'Check the host in SMTP_URL',
  tls: 'Use the name that stands in the certificate of the mail server, and smtps:// for port 465',
  refused:
    'Check MAIL_FROM and the recipient: the mail server does not take mails from or to such an address',
}

/** Connects to the mail server, and sends a mail where somebody is named. @param to empty for nobody. */
export async function checkMail(
  { SMTP_URL: smtpUrl, MAIL_FROM: from, BASE_URL }: Pick<Config, 'SMTP_URL' | 'MAIL_FROM' | 'BASE_URL'>,
  egress: Egress,
  to = '',
): Promise<Check> {
  const name = 'mail'
  if (smtpUrl === '') {
    if (to !== '')
      return error(name, 'No mail server is set, so no mail was sent', 'Set SMTP_URL and MAIL_FROM')
    return ok(name, 'No mail server is set (SMTP_URL): mails wait, and "lookalike outbox" shows them')
  }
  try {
    if (to === '') await checkMailServer({ smtpUrl, from, egress })
    else await createMailer({ smtpUrl, from, egress }).send(writeTestMail(to, BASE_URL))
    return ok(
      name,
      to === ''
        ? 'The mail server takes mails'
        : `The mail server took a mail to ${to}: look whether it arrives`,
    )
  } catch (fault) {
    if (!(fault instanceof MailError)) throw fault
    const cure = CURES[fault.reason] ?? 'Check host and port in SMTP_URL, and the firewall'
    return error(name, `${fault.message} (${fault.reason})`, cure)
  }
}

const writeTestMail = (to: string, baseUrl: string) => ({
  to,
  subject: 'A test of Lookalike',
  text: `"lookalike doctor --mail-to" sent this mail${baseUrl === '' ? '' : ` from ${baseUrl}`}.\n\nNobody has to answer it. If it lay among unwanted mails, so will those with links to sign in.\n`,
})
