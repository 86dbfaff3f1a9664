import type { Socket } from 'bun'

/** A client that costs little beside the server that it drives: raw connections, each with one request at a time. */

export interface Load {
  address: string
  connections: number
  seconds: number
  /** The bytes of the n-th request. */
  request(n: number): Uint8Array
  /** Learns of every answer and how long it took; without it, an answer other than 200 ends the load. */
  note?(status: number, ms: number): void
}

/** The request that is sent in raw bytes. */
export function rawRequest(
  method: string,
  path: string,
  headers: Readonly<Record<string, string>> = {},
  body: string | Uint8Array = '',
): Uint8Array {
  const all = {
    host: 'bench.test',
    'user-agent': 'bench',
    accept: 'application/json',
    ...(body.length > 0 && {
      'content-type': 'application/json',
      'content-length': String(Buffer.byteLength(body)),
    }),
    ...headers,
  }
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`)
  const head = Buffer.from(`${method} ${path} HTTP/1.1\r\n${lines.join('')}\r\n`)
  return Buffer.concat([head, Buffer.from(body)])
}

/** Sends requests for some seconds. @returns the number of answers. Throws for an answer other than 200, unless somebody notes them. */
export async function drive({ address, connections, seconds, request, note }: Load): Promise<number> {
  const { hostname, port } = new URL(address)
  const until = performance.now() + seconds * 1000
  const ended = Promise.withResolvers<void>()
  let open = connections
  let sent = 0
  let answered = 0

  function send(socket: Socket<Connection>): void {
    socket.data = { held: EMPTY, unsent: request(sent++), sentAt: performance.now(), isAnswered: false }
    flush(socket)
  }

  function flush(socket: Socket<Connection>): void {
    const { data } = socket
    data.unsent = data.unsent.subarray(socket.write(data.unsent))
    if (data.unsent.length === 0 && data.isAnswered) send(socket)
  }

  const connect = () =>
    Bun.connect<Connection>({
      hostname,
      port: Number(port),
      socket: {
        open(socket) {
          send(socket)
        },
        drain: flush,
        data(socket, chunk) {
          const { held } = socket.data
          const bytes = held.length === 0 ? chunk : Buffer.concat([held, chunk])
          const length = lengthOfAnswer(bytes)
          if (length === undefined || bytes.length < length) {
            socket.data.held = Buffer.from(bytes)
            return
          }
          socket.data.held = EMPTY
          const status = Number(bytes.subarray(9, 12).toString('latin1'))
          note?.(status, performance.now() - socket.data.sentAt)
          if (status !== 200 && !note) {
            ended.reject(new Error(bytes.toString()))
            socket.end()
            return
          }
          answered++
          // An early answer comes while the body is still being sent; the connection stays usable behind it.
          if (performance.now() >= until) socket.end()
          else if (socket.data.unsent.length === 0) send(socket)
          else socket.data.isAnswered = true
        },
        close() {
          if (--open === 0) ended.resolve()
        },
        error: (_socket, error) => ended.reject(error),
      },
    })
  await Promise.all(Array.from({ length: connections }, connect))
  await ended.promise
  return answered
}

interface Connection {
  held: Buffer
  unsent: Uint8Array
  sentAt: number
  isAnswered: boolean
}

const EMPTY = Buffer.alloc(0)

/** The bytes of an answer with its headers; undefined while its headers are incomplete. */
export function lengthOfAnswer(bytes: Buffer): number | undefined {
  const end = bytes.indexOf('\r\n\r\n')
  if (end < 0) return undefined
  const size = /\r\ncontent-length: (\d+)/i.exec(bytes.toString('latin1', 0, end))?.[1]
  if (size === undefined) throw new Error(`An answer without a length: ${bytes.toString('latin1', 0, end)}`)
  return end + 4 + Number(size)
}
