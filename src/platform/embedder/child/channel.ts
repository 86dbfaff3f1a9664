import { Value } from '@sinclair/typebox/value'
import { type Frame, FrameReader, frameStart } from '../frames.ts'
import { ChildRequest, type EmbedReply, type EmbedRequest } from '../messages.ts'

/** The child's end of the pipe. */
export interface Channel {
  send(reply: EmbedReply, body?: Uint8Array): void
  /** Whether a request has begun to arrive; its rest is at most a few milliseconds away. */
  hasPartialRequest(): boolean
  /** Hands over requests until the service closes the pipe, and answers pings. */
  read(onRequest: (request: EmbedRequest, body: Uint8Array) => void): Promise<void>
}

/** What a process is started for. */
export interface ProcessTask {
  modelDir: string
  /** The same files passed their self-test in an earlier process. */
  isTested: boolean
  channel: Channel
}

/** A picture of 10 MiB is the longest body; some room is left for operators who raise that limit. */
const BODY_BYTES_MAX = 64 * 1024 * 1024

/** Requests come on stdin and replies leave on stdout, so nothing else may be printed there. */
export function stdioChannel(): Channel {
  console.log = console.error
  console.info = console.error
  console.debug = console.error
  const writer = Bun.stdout.writer()
  let deliver: (frame: Frame) => void = () => undefined
  const reader = new FrameReader(BODY_BYTES_MAX, (frame) => deliver(frame))
  const send: Channel['send'] = (reply, body = new Uint8Array()) => {
    try {
      writer.write(frameStart(reply, body.length))
      writer.write(body)
      writer.flush()
    } catch {
      // The service is gone, so there is nobody left to work for.
      process.exit(0)
    }
  }
  return {
    send,
    hasPartialRequest: () => reader.isPartial,
    async read(onRequest) {
      deliver = ({ head, body }) => {
        const request = Value.Parse(ChildRequest, head)
        if (request.kind === 'ping') send({ kind: 'pong' })
        else onRequest(request, body)
      }
      for await (const chunk of Bun.stdin.stream()) reader.push(chunk)
    },
  }
}

/** The bytes of a vector. */
export const bytesOf = (vector: Float32Array): Uint8Array =>
  new Uint8Array(vector.buffer, vector.byteOffset, vector.byteLength)

/** Lets everything that has arrived meanwhile be handled: an inference holds this thread for its whole length. */
export const nextTurn = (): Promise<void> => new Promise((done) => setImmediate(done))
