import { encodeHead, type Frame, FrameReader } from '../ipc-frames.ts'
import { type EmbedReply, type EmbedRequest, readRequest } from '../messages.ts'

/** The child's end of the pipe. */
export interface Channel {
  send(reply: EmbedReply, body?: Uint8Array): void
  /** Whether part of a request has arrived; the rest follows within a few milliseconds. */
  hasPartialRequest(): boolean
  /** Passes on requests until the service closes the pipe, and answers pings. */
  read(onRequest: (request: EmbedRequest, body: Uint8Array) => void): Promise<void>
}

/** Parameters of a child process. */
export interface ProcessTask {
  modelDir: string
  /** The same files passed the self-test in an earlier process. */
  isTested: boolean
  channel: Channel
}

/** The longest body is a picture of 10 MiB; the rest is a reserve for operators who raise that limit. */
const BODY_BYTES_MAX = 64 * 1024 * 1024

/** Creates a channel that reads requests from stdin and writes replies to stdout. Console output goes to stderr. */
export function createStdioChannel(): Channel {
  console.log = console.error
  console.info = console.error
  console.debug = console.error
  const writer = Bun.stdout.writer()
  let deliver: (frame: Frame) => void = () => undefined
  const reader = new FrameReader(BODY_BYTES_MAX, (frame) => deliver(frame))
  const send: Channel['send'] = (reply, body = new Uint8Array()) => {
    try {
      writer.write(encodeHead(reply, body.length))
      writer.write(body)
      writer.flush()
    } catch {
      // The service has ended.
      process.exit(0)
    }
  }
  return {
    send,
    hasPartialRequest: () => reader.isPartial,
    async read(onRequest) {
      deliver = ({ head, body }) => {
        const request = readRequest(head)
        if (request.kind === 'ping') send({ kind: 'pong' })
        else onRequest(request, body)
      }
      for await (const chunk of Bun.stdin.stream()) reader.push(chunk)
    },
  }
}

/** A view of a vector's bytes. */
export const toBytes = (vector: Float32Array): Uint8Array =>
  new Uint8Array(vector.buffer, vector.byteOffset, vector.byteLength)

/** Lets the event loop handle requests that arrived during an inference, which blocks this thread. */
export const nextTurn = (): Promise<void> => new Promise((done) => setImmediate(done))
