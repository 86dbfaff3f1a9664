import { lengthOfAnswer } from './load.ts'

/** One connection that carries one request at a time, and costs little. */
export interface Caller {
  /** Sends the bytes of a request. @returns how long the whole answer took, in ms. Throws unless it is a success. */
  call(request: Uint8Array): Promise<number>
  close(): void
}

const NOTHING = Buffer.alloc(0)

export async function openCaller(address: string): Promise<Caller> {
  const { hostname, port } = new URL(address)
  let waiting: { sentAt: number; settled: PromiseWithResolvers<number> } | undefined
  let held: Buffer = NOTHING
  /** What the kernel did not take yet. */
  let unsent: Uint8Array = NOTHING

  const fail = (error: Error) => {
    waiting?.settled.reject(error)
    waiting = undefined
  }
  const socket = await Bun.connect({
    hostname,
    port: Number(port),
    socket: {
      data(_socket, chunk) {
        const now = performance.now()
        const bytes: Buffer = held.length === 0 ? Buffer.from(chunk) : Buffer.concat([held, chunk])
        const length = lengthOfAnswer(bytes)
        if (length === undefined || bytes.length < length) {
          held = bytes
          return
        }
        held = NOTHING
        if (bytes[9] !== 0x32) return fail(new Error(bytes.toString('utf8', 0, 2_000)))
        waiting?.settled.resolve(now - waiting.sentAt)
        waiting = undefined
      },
      drain: () => send(unsent),
      close: () => fail(new Error('The service closed the connection')),
      error: (_socket, error) => fail(error),
    },
  })
  function send(bytes: Uint8Array): void {
    unsent = bytes.subarray(Math.max(0, socket.write(bytes)))
  }
  return {
    call(request) {
      if (waiting) throw new Error('The connection waits for an answer')
      const settled = Promise.withResolvers<number>()
      waiting = { sentAt: performance.now(), settled }
      send(request)
      return settled.promise
    },
    close: () => void socket.end(),
  }
}
