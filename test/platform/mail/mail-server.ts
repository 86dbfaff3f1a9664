import { type AddressInfo, createServer, type Server } from 'node:net'
import { SMTPServer, type SMTPServerOptions } from 'smtp-server'

/** One mail as it arrived. */
export interface Received {
  from: string
  to: string[]
  /** Who signed in; undefined for nobody. */
  user: string | undefined
  isSecure: boolean
  /** Headers and text, still encoded. */
  source: string
}

/** A mail server on a free port of this machine. It signs in `me` with `secret` and refuses mail to `nobody@…`. */
export async function mailServer(options: SMTPServerOptions = {}) {
  const mails: Received[] = []
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS'],
    onAuth({ username, password }, _session, done) {
      if (username === 'me' && password === 'secret') done(null, { user: username })
      else done(new Error('Wrong user name or password'))
    },
    onRcptTo({ address }, _session, done) {
      done(
        address.startsWith('nobody@')
          ? Object.assign(new Error('No such person'), { responseCode: 550 })
          : null,
      )
    },
    onData(stream, { envelope, user, secure }, done) {
      const parts: Buffer[] = []
      stream.on('data', (part: Buffer) => parts.push(part))
      stream.on('end', () => {
        mails.push({
          from: envelope.mailFrom ? envelope.mailFrom.address : '',
          to: envelope.rcptTo.map(({ address }) => address),
          user,
          isSecure: secure,
          source: Buffer.concat(parts).toString(),
        })
        done()
      })
    },
    ...options,
  })
  let connections = 0
  server.server.on('connection', () => connections++)
  // A client that goes away in the middle is what some tests are about.
  server.on('error', () => undefined)
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve))
  return {
    port: (server.server.address() as AddressInfo).port,
    mails,
    connections: () => connections,
    close: () => new Promise<void>((resolve) => server.close(resolve)),
  }
}

/** Takes connections and never says a word. */
export async function silentServer() {
  const server: Server = createServer((socket) => void socket.on('error', () => undefined))
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve))
  return { port: (server.address() as AddressInfo).port, close: () => void server.close() }
}
