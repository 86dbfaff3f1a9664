import { connect, isIP, type Socket } from 'node:net'
import { connect as connectTls } from 'node:tls'
import { isSameAddress } from '../../core/networks.ts'
import type { Destination } from './destination.ts'
import { NetworkError } from './failure.ts'

export interface ConnectionOptions {
  /** Ends the attempt, and nothing after it. */
  signal: AbortSignal
  /** Certificates in PEM that are trusted instead of the built-in ones. */
  ca?: string | undefined
}

/** Addresses tried for one host, one after another; more would only prolong the failure. */
const ADDRESSES_TRIED_MAX = 3

/**
 * Connects to a checked address of the destination, never to its name, so that a second look-up cannot change the
 * target. With TLS the certificate is verified against the host, whatever the environment says.
 *
 * @returns an open socket that the caller must destroy.
 * @throws NetworkError `connect`, `tls`, `blocked_address`, or `timeout` when the signal aborts.
 */
export const openConnection = async (
  destination: Destination,
  options: ConnectionOptions,
): Promise<Socket> => {
  let failure = new NetworkError('connect', `${destination.host} has no address`)
  for (const address of destination.addresses.slice(0, ADDRESSES_TRIED_MAX)) {
    try {
      return await connectTo(address, destination, options)
    } catch (error) {
      if (!(error instanceof NetworkError) || error.reason !== 'connect') throw error
      failure = error
    }
  }
  throw failure
}

const connectTo = (
  address: string,
  destination: Destination,
  { signal, ca }: ConnectionOptions,
): Promise<Socket> => {
  if (signal.aborted) return Promise.reject(tooSlow(destination))
  return new Promise((resolve, reject) => {
    const socket = startSocket(address, destination, ca)
    let isReached = false

    const fail = (error: NetworkError) => {
      signal.removeEventListener('abort', abort)
      socket.destroy()
      reject(error)
    }
    const abort = () => fail(tooSlow(destination))
    const isPinned = () => isSameAddress(socket.remoteAddress ?? '', address)
    const succeed = () => {
      if (!isPinned()) return fail(strayed(destination))
      signal.removeEventListener('abort', abort)
      resolve(socket)
    }

    signal.addEventListener('abort', abort, { once: true })
    // Stays for the life of the socket: an error between two readers must not become an uncaught one.
    socket.on('error', (error) => fail(failureOf(error, destination, isReached)))
    socket.once('close', () => fail(failureOf(undefined, destination, isReached)))
    socket.once('connect', () => {
      isReached = true
      if (!isPinned()) fail(strayed(destination))
      else if (!destination.isTls) succeed()
    })
    if (destination.isTls) socket.once('secureConnect', succeed)
  })
}

const startSocket = (address: string, { host, port, isTls }: Destination, ca: string | undefined): Socket => {
  if (!isTls) return connect({ host: address, port })
  // Server names are never addresses (RFC 6066); without one the certificate is checked against the address.
  const servername = isIP(host) === 0 ? { servername: host } : {}
  return connectTls({ host: address, port, ...servername, ...(ca ? { ca } : {}), rejectUnauthorized: true })
}

const failureOf = (cause: unknown, { host, isTls }: Destination, isReached: boolean): NetworkError =>
  isTls && isReached
    ? new NetworkError('tls', `No secure connection to ${host} could be made`, cause)
    : new NetworkError('connect', `No connection to ${host} could be made`, cause)

const tooSlow = ({ host }: Destination) => new NetworkError('timeout', `${host} took too long to connect`)
const strayed = ({ host }: Destination) =>
  new NetworkError(
    'blocked_address',
    `The connection to ${host} ended at another address than the checked one`,
  )
