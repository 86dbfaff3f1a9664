import { connect, type Socket } from 'node:net'

/** A connection over which a test sends arbitrary bytes. */
export interface Connection {
  socket: Socket
  send(data: string | Uint8Array): void
  /** Everything received so far. */
  received(): string
  /** Resolves with everything received, once the other side ends or the time is over. */
  ended(deadlineMs?: number): Promise<string>
  isOpen(): boolean
  close(): void
}

export async function openConnection(address: string): Promise<Connection> {
  const { hostname, port } = new URL(address)
  const socket = connect(Number(port), hostname)
  await new Promise<void>((resolve, reject) => {
    socket.once('connect', resolve)
    socket.once('error', reject)
  })
  const chunks: Buffer[] = []
  let isOpen = true
  const end = Promise.withResolvers<void>()
  const finish = () => {
    isOpen = false
    end.resolve()
  }
  socket.on('data', (chunk: Buffer) => void chunks.push(chunk))
  // A reset counts as an ordinary end; the bytes before it matter.
  socket.on('error', finish)
  socket.on('end', finish)
  socket.on('close', finish)
  const received = () => Buffer.concat(chunks).toString('latin1')
  return {
    socket,
    send: (data) => void socket.write(data),
    received,
    async ended(deadlineMs = 10_000) {
      const timer = setTimeout(end.resolve, deadlineMs)
      await end.promise
      clearTimeout(timer)
      return received()
    },
    isOpen: () => isOpen,
    close: () => socket.destroy(),
  }
}

/** The status of the first answer that a connection received; undefined if there is none. */
export const firstStatus = (answer: string): number | undefined => {
  const status = /^HTTP\/1\.1 (\d{3})/.exec(answer)?.[1]
  return status === undefined ? undefined : Number(status)
}

/** The statuses of all answers, in order. */
export const statuses = (answers: string): number[] =>
  [...answers.matchAll(/HTTP\/1\.1 (\d{3})/g)].map(([, status]) => Number(status))
