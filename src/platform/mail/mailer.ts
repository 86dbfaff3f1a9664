import { isIP, type Socket } from 'node:net'
import type { Transporter } from 'nodemailer'
import type SMTPTransport from 'nodemailer/lib/smtp-transport'
import { isGlobalAddress } from '../../core/networks.ts'
import { runWithDeadline } from '../outbound/deadline.ts'
import type { Egress } from '../outbound/egress.ts'
import { OutboundError } from '../outbound/failure.ts'
import { type MailServer, parseSmtpUrl } from './smtp-url.ts'

/** What a mail says. */
export interface MailBody {
  text: string
  /** The same for programs that show pages. Without it the mail is plain text. */
  html?: string | undefined
  /** Where a POST ends a mail that comes again and again (RFC 8058). */
  unsubscribeUrl?: string | undefined
}

/** A mail to one person. */
export interface Mail extends MailBody {
  /** A bare address in ASCII, without a name. */
  to: string
  subject: string
}

/** Hands mails to the operator's mail server. */
export interface Mailer {
  /** Whether a mail server is set. */
  isConfigured: boolean
  /**
   * Resolves once the mail server has accepted the mail.
   *
   * @throws MailError
   */
  send(mail: Mail): Promise<void>
}

/**
 * Why a mail was not accepted: because of the mail itself (`refused`), because the service is stopping (`stopped`), or
 * because no mail gets through at present (all others).
 */
export type MailFailure =
  | 'stopped'
  | 'unconfigured'
  | 'blocked'
  | 'dns'
  | 'connect'
  | 'timeout'
  | 'tls'
  | 'auth'
  | 'refused'

/** An expected failure of {@link Mailer.send}. Its message is for the operator and contains no secret. */
export class MailError extends Error {
  override readonly name = 'MailError'
  readonly reason: MailFailure

  constructor(reason: MailFailure, message: string, cause?: unknown) {
    super(message, { cause })
    this.reason = reason
  }
}

export interface MailerOptions {
  /** `SMTP_URL`; empty for none. */
  smtpUrl: string
  /** `MAIL_FROM`: an address, or a name with the address in angle brackets. */
  from: string
  egress: Egress
  /** Whether a server at this address must offer TLS; by default every public one must. */
  isTlsNeeded?(address: string): boolean
  /** Certificates in PEM to trust instead of the built-in ones, for STARTTLS. */
  ca?: string
  /** Cuts every delivery when the service stops. */
  stop?: AbortSignal | undefined
  limits?: MailLimits
}

export interface MailLimits {
  /** Lookup, connection and TLS. */
  connectMs: number
  /** The whole delivery. */
  totalMs: number
}

const LIMITS: MailLimits = { connectMs: 5_000, totalMs: 10_000 }

const SUBJECT_CHARS_MAX = 200

/** RFC 5321 §4.5.3.1.3. */
const ADDRESS_CHARS_MAX = 254

/**
 * Creates a mailer over SMTP. Certificates are always verified. A server at a public address must offer TLS, because a
 * mail may carry a link that opens an account.
 *
 * @throws Error for a malformed `smtpUrl`.
 */
export function createMailer(options: MailerOptions): Mailer {
  const { smtpUrl, egress, stop, limits = LIMITS } = options
  const server = smtpUrl === '' ? undefined : parseSmtpUrl(smtpUrl)

  async function send(mail: Mail, to: MailServer, signal: AbortSignal): Promise<void> {
    try {
      const connecting = AbortSignal.any([signal, AbortSignal.timeout(limits.connectMs)])
      const socket = await egress.connect(to, connecting)
      await deliver(mail, socket, to, options, signal)
    } catch (error) {
      throw stop?.aborted ? stopping(error) : toMailError(error, signal)
    }
  }

  return {
    isConfigured: server !== undefined,

    async send(mail) {
      if (!server) throw new MailError('unconfigured', 'No mail server is configured')
      checkHeaders(mail)
      if (stop?.aborted) throw stopping()
      await runWithDeadline(limits.totalMs, stop, (signal) => send(mail, server, signal))
    },
  }
}

const stopping = (cause?: unknown) => new MailError('stopped', 'The service is stopping', cause)

/** A line break would start another header. Callers check more strictly; this is the last check. */
function checkHeaders({ to, subject, unsubscribeUrl = '' }: Mail): void {
  if (to.length > ADDRESS_CHARS_MAX || !/^[^\s@<>()[\]:;,"\\\p{Cc}]+@[a-z0-9.-]+$/iu.test(to)) {
    throw new MailError('refused', 'The recipient is not a plain e-mail address')
  }
  if (subject.length > SUBJECT_CHARS_MAX || /\p{Cc}/u.test(subject)) {
    throw new MailError('refused', 'The subject is too long or contains a control character')
  }
  if (/[\s<>\p{Cc}]/u.test(unsubscribeUrl)) {
    throw new MailError('refused', 'The address that ends the mails contains a character that no address has')
  }
}

/**
 * Connects to the mail server and signs in there, without sending a mail.
 *
 * @throws MailError; Error for a malformed `smtpUrl`.
 */
export async function checkMailServer(options: MailerOptions): Promise<void> {
  const { smtpUrl, egress, limits = LIMITS } = options
  const server = parseSmtpUrl(smtpUrl)
  await runWithDeadline(limits.totalMs, undefined, async (signal) => {
    try {
      const socket = await egress.connect(
        server,
        AbortSignal.any([signal, AbortSignal.timeout(limits.connectMs)]),
      )
      await useTransport(socket, server, options, (transport) => transport.verify())
    } catch (error) {
      throw toMailError(error, signal)
    }
  })
}

const deliver = (
  { to, subject, text, html, unsubscribeUrl }: Mail,
  socket: Socket,
  server: MailServer,
  options: MailerOptions,
  signal: AbortSignal,
): Promise<unknown> =>
  useTransport(socket, server, options, (transport) =>
    transport.sendMail({
      ...{ from: options.from, to: { name: '', address: to }, subject, text, signal },
      ...(html !== undefined && { html }),
      ...(unsubscribeUrl !== undefined && { headers: oneClick(unsubscribeUrl) }),
    }),
  )

/** Lets the program of the reader end the mails by one click. `prepared` keeps nodemailer from folding the address. */
const oneClick = (url: string) => ({
  'List-Unsubscribe': { prepared: true, value: `<${url}>` },
  'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click',
})

async function useTransport<Result>(
  socket: Socket,
  { host, port, isTls, auth }: MailServer,
  { ca, isTlsNeeded = isGlobalAddress, limits = LIMITS }: MailerOptions,
  use: (transport: Transporter<SMTPTransport.SentMessageInfo>) => Promise<Result>,
): Promise<Result> {
  try {
    // Loaded on demand: it takes longer to load than the rest of the program.
    const { createTransport } = await import('nodemailer')
    const settings: SMTPTransport.Options = {
      host,
      port,
      secure: isTls,
      secured: isTls,
      requireTLS: !isTls && isTlsNeeded(socket.remoteAddress ?? ''),
      // Otherwise nodemailer would send the mail without authentication if the server does not offer it.
      forceAuth: auth !== undefined,
      auth,
      tls: { rejectUnauthorized: true, ...(isIP(host) === 0 && { servername: host }), ...(ca && { ca }) },
      getSocket: (_options, done) => done(null, { connection: socket }),
      greetingTimeout: limits.totalMs,
      socketTimeout: limits.totalMs,
      disableFileAccess: true,
      disableUrlAccess: true,
    }
    return await use(createTransport(settings))
  } finally {
    socket.destroy()
  }
}

const SMTP_FAILURES: Readonly<Record<string, MailFailure>> = {
  EAUTH: 'auth',
  ETLS: 'tls',
  ETIMEDOUT: 'timeout',
  EENVELOPE: 'refused',
  EMESSAGE: 'refused',
}

/** An error of nodemailer. */
interface SmtpError {
  code: string
  originalCode: string
  message: string
}

const OUTBOUND_FAILURES: Readonly<Record<OutboundError['reason'], MailFailure>> = {
  blocked_address: 'blocked',
  dns: 'dns',
  connect: 'connect',
  timeout: 'timeout',
  tls: 'tls',
  url_not_allowed: 'connect',
  too_large: 'connect',
}

function toMailError(error: unknown, signal: AbortSignal): MailError {
  if (error instanceof MailError) return error
  if (signal.aborted) return new MailError('timeout', 'The mail server took too long', error)
  if (error instanceof OutboundError) {
    return new MailError(OUTBOUND_FAILURES[error.reason], error.message, error)
  }
  const { code = '', originalCode = '', message = String(error) } = error as Partial<SmtpError>
  // A refused certificate is reported as a socket error whose name, unlike the system's (`ECONNRESET`), has an underscore.
  const isCertificate = code === 'ESOCKET' && /_/.test(originalCode)
  return new MailError(isCertificate ? 'tls' : (SMTP_FAILURES[code] ?? 'connect'), message, error)
}
