import { isIP, type Socket } from 'node:net'
import type SMTPTransport from 'nodemailer/lib/smtp-transport'
import { type Cidr, isGlobalAddress, isInside } from '../../core/networks.ts'
import { openConnection } from '../network/connection.ts'
import { type Destination, type Lookup, lookupHost } from '../network/destination.ts'
import { NetworkError, untilAborted } from '../network/failure.ts'
import { type MailServer, parseSmtpUrl } from './smtp-url.ts'

/** A mail of plain text to one person. */
export interface Mail {
  /** A bare address in ASCII, without a name. */
  to: string
  subject: string
  text: string
}

/** Hands mails to the operator's mail server. */
export interface Mailer {
  /** Whether there is a mail server at all. */
  isConfigured: boolean
  /**
   * Resolves once the mail server has taken the mail on.
   *
   * @throws MailError
   */
  send(mail: Mail): Promise<void>
}

/**
 * Why a mail was not taken on: by itself (`refused`), because the service stops (`stopped`), or because no mail gets
 * through at present (all others).
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

/** A foreseen failure of {@link Mailer.send}. Its message is for the operator and holds no secret. */
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
  /** Where mail may go while {@link isOffline}. */
  allowCidrs: readonly Cidr[]
  isOffline: boolean
  lookup?: Lookup
  /** Whether mail to a server at this address needs TLS; by default at every public one. */
  isTlsNeeded?(address: string): boolean
  /** Certificates in PEM that are trusted instead of the built-in ones. */
  ca?: string
  /** Cuts every delivery when the service stops. */
  stop?: AbortSignal | undefined
  limits?: MailLimits
}

export interface MailLimits {
  /** Looking the host up and connecting. */
  connectMs: number
  /** The whole delivery. */
  totalMs: number
}

const LIMITS: MailLimits = { connectMs: 5_000, totalMs: 10_000 }

const SUBJECT_CHARS_MAX = 200

/** RFC 5321 §4.5.3.1.3. */
const ADDRESS_CHARS_MAX = 254

/**
 * A mailer over SMTP. Certificates are always verified; a server at a public address must offer TLS, for a mail may
 * carry a link that opens an account.
 *
 * @throws Error for an `smtpUrl` that cannot be read.
 */
export function createMailer(options: MailerOptions): Mailer {
  const { smtpUrl, stop, limits = LIMITS } = options
  const server = smtpUrl === '' ? undefined : parseSmtpUrl(smtpUrl)

  return {
    isConfigured: server !== undefined,

    async send(mail) {
      if (!server) throw new MailError('unconfigured', 'No mail server is set up')
      checkHeaders(mail)
      if (stop?.aborted) throw new MailError('stopped', 'The service stops')
      const deadline = new AbortController()
      const { signal } = deadline
      const abort = () => deadline.abort()
      const timer = setTimeout(abort, limits.totalMs)
      stop?.addEventListener('abort', abort)
      try {
        const connecting = AbortSignal.any([signal, AbortSignal.timeout(limits.connectMs)])
        const destination = await destinationOf(server, options, connecting)
        const socket = await openConnection(destination, { signal: connecting, ca: options.ca })
        await deliver(mail, socket, server, options, signal)
      } catch (error) {
        if (stop?.aborted) throw new MailError('stopped', 'The service stops', error)
        throw asMailError(error, signal)
      } finally {
        clearTimeout(timer)
        stop?.removeEventListener('abort', abort)
      }
    },
  }
}

/** A line break in a header would begin another one. The callers' own rules are stricter; this is the last door. */
function checkHeaders({ to, subject }: Mail): void {
  if (to.length > ADDRESS_CHARS_MAX || !/^[^\s@<>()[\]:;,"\\\p{Cc}]+@[a-z0-9.-]+$/iu.test(to)) {
    throw new MailError('refused', 'The recipient is no plain mail address')
  }
  if (subject.length > SUBJECT_CHARS_MAX || /\p{Cc}/u.test(subject)) {
    throw new MailError('refused', 'The subject is too long or has a control character')
  }
}

/** Where to connect. The operator may name a private address, but offline only one that he allowed. */
async function destinationOf(
  { host, port, isTls }: MailServer,
  { allowCidrs, isOffline, lookup = lookupHost }: MailerOptions,
  signal: AbortSignal,
): Promise<Destination> {
  // Checked before the lookup as well, since a name that is looked up has already left the house.
  if (isOffline && allowCidrs.length === 0) throw offline()
  const addresses = isIP(host) === 0 ? await lookedUp(host, lookup, signal) : [host]
  if (isOffline && !addresses.every((address) => isInside(address, allowCidrs))) throw offline()
  return { host, port, isTls, addresses: addresses.sort((a, b) => isIP(a) - isIP(b)) }
}

async function lookedUp(host: string, lookup: Lookup, signal: AbortSignal): Promise<string[]> {
  try {
    return [...new Set(await untilAborted(lookup(host), signal))]
  } catch (error) {
    if (signal.aborted) throw new MailError('timeout', `The name ${host} was not found in time`, error)
    throw new MailError('dns', `The name ${host} was not found`, error)
  }
}

const offline = () =>
  new MailError('blocked', 'This install works offline; add the mail server to FETCH_ALLOW_CIDRS')

async function deliver(
  { to, subject, text }: Mail,
  socket: Socket,
  { host, port, isTls, auth }: MailServer,
  { from, ca, isTlsNeeded = isGlobalAddress, limits = LIMITS }: MailerOptions,
  signal: AbortSignal,
): Promise<void> {
  try {
    // Loaded when it is needed: it takes longer than the rest of the start together.
    const { createTransport } = await import('nodemailer')
    const settings: SMTPTransport.Options = {
      host,
      port,
      secure: isTls,
      secured: isTls,
      requireTLS: !isTls && isTlsNeeded(socket.remoteAddress ?? ''),
      // Without this nodemailer would send the mail unsigned in when the server does not offer to sign in.
      forceAuth: auth !== undefined,
      auth,
      tls: { rejectUnauthorized: true, ...(isIP(host) === 0 && { servername: host }), ...(ca && { ca }) },
      getSocket: (_options, done) => done(null, { connection: socket }),
      greetingTimeout: limits.totalMs,
      socketTimeout: limits.totalMs,
      disableFileAccess: true,
      disableUrlAccess: true,
    }
    await createTransport(settings).sendMail({ from, to: { name: '', address: to }, subject, text, signal })
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

/** What nodemailer throws. */
interface SmtpError {
  code: string
  originalCode: string
  message: string
}

function asMailError(error: unknown, signal: AbortSignal): MailError {
  if (error instanceof MailError) return error
  if (signal.aborted) return new MailError('timeout', 'The mail server took too long', error)
  if (error instanceof NetworkError) {
    const reason = error.reason === 'timeout' || error.reason === 'tls' ? error.reason : 'connect'
    return new MailError(reason, error.message, error)
  }
  const { code = '', originalCode = '', message = String(error) } = error as Partial<SmtpError>
  // A certificate that is refused comes as a fault of the socket, told from the system's own (`ECONNRESET`) by its name.
  const isCertificate = code === 'ESOCKET' && /_/.test(originalCode)
  return new MailError(isCertificate ? 'tls' : (SMTP_FAILURES[code] ?? 'connect'), message, error)
}
