import type { Socket } from 'bun'

/** A cable between a program and a server: all bytes pass, until it is cut. No root is needed, and both ends stay alive. */
export interface Link extends Disposable {
  /** Where the program connects to. */
  address: string
  /** Drops every byte in both directions and answers nothing, as a partition does; connections stay open. */
  cut(): void
  /** Drops what the server says, and lets through what it is told: it acts, and nobody learns of it. */
  mute(): void
  /** Ends all connections, and lets new ones pass. */
  mend(): void
}

interface Side {
  isServer: boolean
  other: Socket<Side> | undefined
  /** What could not be written yet. */
  waiting: Buffer[]
}

/** @param target `http://host:port`. */
export function openLink(target: string): Link {
  const { hostname, port } = new URL(target)
  const open = new Set<Socket<Side>>()
  let isCut = false
  let isMute = false

  const flush = (socket: Socket<Side>) => {
    const { waiting } = socket.data
    for (let chunk = waiting.shift(); chunk; chunk = waiting.shift()) {
      const written = Math.max(0, socket.write(chunk))
      if (written < chunk.length) {
        waiting.unshift(chunk.subarray(written))
        return
      }
    }
  }
  const pass = (socket: Socket<Side>, chunk: Buffer) => {
    if (isCut || (isMute && socket.data.isServer)) return
    const { other } = socket.data
    // Until the other side is connected, its first bytes wait here.
    if (!other) {
      early.set(socket, [...(early.get(socket) ?? []), Buffer.from(chunk)])
      return
    }
    other.data.waiting.push(Buffer.from(chunk))
    flush(other)
  }
  const early = new WeakMap<Socket<Side>, Buffer[]>()
  const close = (socket: Socket<Side>) => {
    open.delete(socket)
    if (!isCut) socket.data.other?.end()
  }
  const listener = Bun.listen<Side>({
    hostname: '127.0.0.1',
    port: 0,
    socket: {
      open(socket) {
        socket.data = { isServer: false, other: undefined, waiting: [] }
        open.add(socket)
        if (isCut) return
        void Bun.connect<Side>({
          hostname,
          port: Number(port),
          data: { isServer: true, other: socket, waiting: [] },
          socket: {
            open(other) {
              open.add(other)
              socket.data.other = other
              other.data.waiting.push(...(early.get(socket) ?? []))
              early.delete(socket)
              flush(other)
            },
            data: pass,
            drain: flush,
            close,
            error: (other) => void other.end(),
          },
        }).catch(() => socket.end())
      },
      data: pass,
      drain: flush,
      close,
      error: (socket) => void socket.end(),
    },
  })
  return {
    address: `http://127.0.0.1:${listener.port}`,
    cut() {
      isCut = true
    },
    mute() {
      isMute = true
    },
    mend() {
      isCut = false
      isMute = false
      for (const socket of open) socket.end()
    },
    [Symbol.dispose]() {
      listener.stop(true)
    },
  }
}
