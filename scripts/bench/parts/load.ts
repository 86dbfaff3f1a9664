/** A client that costs little beside the server that it drives: raw connections, each with one request at a time. */

export interface Load {
  address: string
  connections: number
  seconds: number
  /** The bytes of the n-th request. */
  request(n: number): Uint8Array
}

/** The request that is sent in raw bytes. */
export function rawRequest(
  method: string,
  path: string,
  headers: Readonly<Record<string, string>> = {},
  body = '',
): Uint8Array {
  const all = {
    host: 'bench.test',
    'user-agent': 'bench',
    accept: 'application/json',
    ...headers,
    ...(body && { 'content-type': 'application/json', 'content-length': String(Buffer.byteLength(body)) }),
  }
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`)
  return Buffer.from(`${method} ${path} HTTP/1.1\r\n${lines.join('')}\r\n${body}`)
}

/** Sends requests for some seconds. @returns the number of answers. Throws for an answer other than 200. */
export async function drive({ address, connections, seconds, request }: Load): Promise<number> {
  const { hostname, port } = new URL(address)
  const until = performance.now() + seconds * 1000
  const ended = Promise.withResolvers<void>()
  let open = connections
  let sent = 0
  let answered = 0

  const connect = () =>
    Bun.connect<{ held: Buffer }>({
      hostname,
      port: Number(port),
      socket: {
        open(socket) {
          socket.data = { held: EMPTY }
          socket.write(request(sent++))
        },
        data(socket, chunk) {
          const { held } = socket.data
          const bytes = held.length === 0 ? chunk : Buffer.concat([held, chunk])
          const length = lengthOfAnswer(bytes)
          if (length === undefined || bytes.length < length) {
            socket.data.held = Buffer.from(bytes)
            return
          }
          socket.data.held = EMPTY
          if (bytes.subarray(9, 12).toString('latin1') !== '200') {
            ended.reject(new Error(bytes.toString()))
            socket.end()
            return
          }
          answered++
          if (performance.now() < until) socket.write(request(sent++))
          else socket.end()
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

const EMPTY = Buffer.alloc(0)

/** The bytes of an answer with its headers; undefined while its headers are incomplete. */
export function lengthOfAnswer(bytes: Buffer): number | undefined {
  const end = bytes.indexOf('\r\n\r\n')
  if (end < 0) return undefined
  const size = /\r\ncontent-length: (\d+)/i.exec(bytes.toString('latin1', 0, end))?.[1]
  if (size === undefined) throw new Error(`An answer without a length: ${bytes.toString('latin1', 0, end)}`)
  return end + 4 + Number(size)
}
