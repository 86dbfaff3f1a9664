/** The mail server of `SMTP_URL`. */
export interface MailServer {
  /** Name or address, without brackets. */
  host: string
  port: number
  /** TLS from the first byte; otherwise STARTTLS. */
  isTls: boolean
  auth: { user: string; pass: string } | undefined
}

const PORTS = { 'smtp:': 587, 'smtps:': 465 } as const

const isKnown = (protocol: string): protocol is keyof typeof PORTS => Object.hasOwn(PORTS, protocol)

/**
 * Reads `smtp://user:password@host:port`, or the same with `smtps`. The ports default to 587 and 465; user name and
 * password are percent-encoded.
 *
 * @throws Error whose message never repeats the text, which may contain a password.
 */
export function parseSmtpUrl(text: string): MailServer {
  const url = URL.canParse(text) ? new URL(text) : undefined
  const host = url?.hostname.replace(/^\[|\]$/g, '') ?? ''
  if (!url || !isKnown(url.protocol) || host === '' || !/^\/?$/.test(url.pathname + url.search + url.hash)) {
    throw new Error('must be a URL like smtps://user:password@mail.example.com:465')
  }
  const port = url.port === '' ? PORTS[url.protocol] : Number(url.port)
  return { host, port, isTls: url.protocol === 'smtps:', auth: readCredentials(url) }
}

function readCredentials({ username, password }: URL): MailServer['auth'] {
  if (username === '' && password === '') return undefined
  try {
    return { user: decodeURIComponent(username), pass: decodeURIComponent(password) }
  } catch {
    throw new Error('has a user name or password that is not percent-encoded; write % as %25')
  }
}
