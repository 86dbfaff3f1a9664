import { createHash } from 'node:crypto'
import { connect, isIP, type Socket } from 'node:net'
import { connect as connectTls, type TLSSocket } from 'node:tls'
import { isSameAddress } from '../../core/networks.ts'
import type { Destination } from './destination.ts'
import { OutboundError } from './failure.ts'

export interface ConnectionOptions {
  /** Cancels the attempt; has no effect on an open connection. */
  signal: AbortSignal
  /** Certificates in PEM to trust instead of the built-in ones. */
  ca?: string | undefined
  /**
   * The beginning of the SHA-256 of the one certificate that the server may show, in DER. Nobody else has to vouch for it, and
   * nothing is sent before it was looked at.
   */
  fingerprint?: Uint8Array | undefined
}

/** Addresses tried per host, one after another; more would only delay the failure. */
const ADDRESSES_TRIED_MAX = 3

/**
 * Connects to a checked address of the destination, never to its name, so that a second lookup cannot change the
 * target. With TLS, the certificate is verified against the host, whatever the environment says.
 *
 * @returns an open socket, which the caller must destroy.
 * @throws OutboundError `connect`, `tls`, `blocked_address`, or `timeout` when the signal aborts.
 */
export async function openConnection(destination: Destination, options: ConnectionOptions): Promise<Socket> {
  let failure = new OutboundError('connect', `The host ${destination.host} has no address`)
  for (const address of destination.addresses.slice(0, ADDRESSES_TRIED_MAX)) {
    try {
      return await connectTo(address, destination, options)
    } catch (error) {
      if (!(error instanceof OutboundError) || error.reason !== 'connect') throw error
      failure = error
    }
  }
  throw failure
}

function connectTo(
  address: string,
  destination: Destination,
  { signal, ca, fingerprint }: ConnectionOptions,
): Promise<Socket> {
  if (signal.aborted) return Promise.reject(tooSlow(destination))
  return new Promise((resolve, reject) => {
    const socket = startSocket(address, destination, ca, fingerprint !== undefined)
    let isReached = false
    /** The socket, once it has shown its certificate. */
    let secured: Socket | undefined

    const fail = (error: OutboundError) => {
      signal.removeEventListener('abort', abort)
      socket.destroy()
      reject(error)
    }
    const abort = () => fail(tooSlow(destination))
    const findFault = (): OutboundError | undefined => {
      // A peer that has reset the connection has no address any more.
      if (socket.remoteAddress === undefined) return toFailure(undefined, destination, isReached)
      if (!isSameAddress(socket.remoteAddress, address)) return strayed(destination)
      const isShown = socket === secured && fingerprint !== undefined
      return isShown && !showsCertificate(socket as TLSSocket, fingerprint)
        ? otherCertificate(destination)
        : undefined
    }
    const succeed = () => {
      const fault = findFault()
      if (fault) return fail(fault)
      signal.removeEventListener('abort', abort)
      resolve(socket)
    }

    signal.addEventListener('abort', abort, { once: true })
    // Stays for the life of the socket: an error while nobody reads must not become an uncaught one.
    socket.on('error', (error) => fail(toFailure(error, destination, isReached)))
    socket.once('close', () => fail(toFailure(undefined, destination, isReached)))
    socket.once('connect', () => {
      isReached = true
      const fault = findFault()
      if (fault) fail(fault)
      else if (!destination.isTls) succeed()
    })
    if (destination.isTls)
      socket.once('secureConnect', () => {
        secured = socket
        succeed()
      })
  })
}

function startSocket(
  address: string,
  { host, port, isTls }: Destination,
  ca: string | undefined,
  isPinned: boolean,
): Socket {
  if (!isTls) return connect({ host: address, port })
  // A server name is never an address (RFC 6066); without one, the certificate is checked against the address.
  const servername = isIP(host) === 0 ? { servername: host } : {}
  return connectTls({
    host: address,
    port,
    ...servername,
    ...(ca ? { ca } : {}),
    rejectUnauthorized: !isPinned,
  })
}

function showsCertificate(socket: TLSSocket, fingerprint: Uint8Array): boolean {
  const { raw } = socket.getPeerCertificate()
  if (!raw || fingerprint.length === 0) return false
  return createHash('sha256').update(raw).digest().subarray(0, fingerprint.length).equals(fingerprint)
}

const toFailure = (cause: unknown, { host, isTls }: Destination, isReached: boolean): OutboundError =>
  isTls && isReached
    ? new OutboundError('tls', `The TLS connection to ${host} failed`, cause)
    : new OutboundError('connect', `Connecting to ${host} failed`, cause)

const tooSlow = ({ host }: Destination) => new OutboundError('timeout', `Connecting to ${host} timed out`)
const otherCertificate = ({ host, port }: Destination) =>
  new OutboundError('tls', `The certificate of https://${host}:${port} is not the one in the code`)
const strayed = ({ host }: Destination) =>
  new OutboundError('blocked_address', `The connection to ${host} reached an address that was not checked`)
