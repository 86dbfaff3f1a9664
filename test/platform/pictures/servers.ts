import { createServer as createHttpServer, type RequestListener, type Server } from 'node:http'
import { createServer as createHttpsServer } from 'node:https'
import {
  type AddressInfo,
  createServer as createTcpServer,
  type Socket,
  type Server as TcpServer,
} from 'node:net'
import { createByteBudget } from '../../../src/core/byte-budget.ts'
import { ApiError } from '../../../src/core/errors.ts'
import { parseCidrs } from '../../../src/core/networks.ts'
import type { ShareLimits } from '../../../src/core/shares.ts'
import { createEgress, type EgressOptions } from '../../../src/platform/outbound/egress.ts'
import {
  createPictureFetcher,
  type FetchOptions,
  type PictureFetcherOptions,
} from '../../../src/platform/pictures/fetch.ts'
import { CERTIFICATE, CERTIFICATE_KEY } from './certificate.ts'

/** A whole picture of one pixel. */
export const PNG = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
)

/** Servers of one test file, all on free ports; stop them after the last test. */
export const createServers = () => {
  const servers: TcpServer[] = []
  const sockets = new Set<Socket>()

  const listen = async (server: TcpServer | Server, address: string, port = 0): Promise<number> => {
    servers.push(server)
    server.on('connection', (socket: Socket) => {
      sockets.add(socket)
      socket.on('error', () => {})
      socket.on('close', () => sockets.delete(socket))
    })
    await new Promise<void>((resolve, reject) => {
      server.on('error', reject)
      server.listen(port, address, resolve)
    })
    return (server.address() as AddressInfo).port
  }

  return {
    http: (answer: RequestListener, address = '127.0.0.1') => listen(createHttpServer(answer), address),
    https: (answer: RequestListener) =>
      listen(createHttpsServer({ cert: CERTIFICATE, key: CERTIFICATE_KEY }, answer), '127.0.0.1'),
    /** Talks before it is asked anything but after a connection. */
    tcp: (talk: (socket: Socket) => void, address = '127.0.0.1', port = 0) =>
      listen(createTcpServer(talk), address, port),
    stop: () => {
      for (const server of servers) server.close()
      for (const socket of sockets) socket.destroy()
    },
  }
}

/** One at a time. */
export const ONE: ShareLimits = { max: 1, perOwnerMax: 1, firstMax: 1, extraMax: 0 }

/** A fetcher for one store that may reach this machine on any port, where every name leads. */
export const localFetcher = (options: Partial<PictureFetcherOptions & EgressOptions> = {}) => {
  const { fetch } = createPictureFetcher({
    egress: createEgress({
      allowCidrs: parseCidrs('127.0.0.0/8'),
      isOffline: false,
      lookup: async () => ['127.0.0.1'],
      ...options,
    }),
    budget: createByteBudget(),
    ...options,
    limits: { retryMs: 1, ...options.limits },
  })
  return {
    fetch: (url: string, given: Partial<FetchOptions> = {}) =>
      fetch(url, { storeId: 'shop', until: Promise.resolve(), ...given }),
  }
}

/** What a client would be told: the code and its details. Throws if the download succeeds. */
export const failureOf = async (download: Promise<unknown>) => {
  const outcome = await download.then(
    () => new Error('the download succeeded'),
    (error: unknown) => error,
  )
  if (!(outcome instanceof ApiError)) throw outcome
  return { code: outcome.code, message: outcome.message, ...outcome.extras.details }
}
