import { createHash } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'

export const COMMIT = 'c0ffee'.padEnd(40, '0')
export const REPOSITORY = 'acme/Tiny-CLIP'
export const TEXT = 'onnx/text_model_quantized.onnx'
export const VISION = 'onnx/vision_model_quantized.onnx'

/** A small made model: the bytes are no weights, but they hash like any others. */
export const tinyModel = (): Record<string, string> => ({
  'config.json': '{"model_type":"clip","projection_dim":8}',
  'preprocessor_config.json': '{"image_processor_type":"CLIPImageProcessor"}',
  'tokenizer_config.json': '{"tokenizer_class":"CLIPTokenizer"}',
  'tokenizer.json': '{"version":"1.0"}',
  [TEXT]: 'text weights '.repeat(50_000),
  [VISION]: 'vision weights '.repeat(50_000),
  'onnx/text_model.onnx': 'full precision, not wanted',
  'README.md': '# not wanted',
})

export const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex')

const gitSha1 = (text: string): string =>
  createHash('sha1')
    .update(`blob ${Buffer.byteLength(text)}\0${text}`)
    .digest('hex')

/** An entry of the hub's listing. The oid of a file in LFS belongs to its pointer. */
export const listEntry = (path: string, text: string) => ({
  type: 'file',
  path,
  size: Buffer.byteLength(text),
  oid: gitSha1(path.endsWith('.onnx') ? 'the pointer' : text),
  ...(path.endsWith('.onnx') && {
    lfs: { oid: sha256(text), size: Buffer.byteLength(text), pointerSize: 133 },
  }),
})

export interface Asked {
  host: string
  path: string
  range: string | undefined
  ifRange: string | undefined
}

/** @returns whether it has answered; otherwise the stub does. */
export type Answer = (asked: Asked, response: ServerResponse) => boolean | undefined

/**
 * Speaks the hub's API on this machine: lists files, and leads from files in LFS to another host. `answer` comes first, so
 * that a test can break one of them. Names lead here with the `lookup` of a test's egress.
 */
export async function startHub(
  files: Record<string, string> = tinyModel(),
  answer: Answer = () => undefined,
) {
  const asked: Asked[] = []
  const sockets = new Set<Socket>()
  const server = createServer((request, response) => {
    const one = readAsked(request)
    asked.push(one)
    if (!answer(one, response)) answerLikeTheHub(files, one, response)
  })
  server.on('connection', (socket) => {
    sockets.add(socket)
    socket.on('error', () => {})
    socket.on('close', () => sockets.delete(socket))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    port,
    mirror: `http://hub.test:${port}`,
    asked,
    /** The paths of the files that were asked for, with the range. */
    loads: () =>
      asked
        .filter(({ path }) => /\/cdn\/|\.json$/.test(path))
        .map(({ path, range }) => `${path} ${range ?? ''}`),
    stop: () => {
      server.close()
      for (const socket of sockets) socket.destroy()
    },
  }
}

const readAsked = ({ headers, url = '' }: IncomingMessage): Asked => ({
  host: headers.host ?? '',
  path: url,
  range: headers.range,
  ifRange: headers['if-range'] as string | undefined,
})

function answerLikeTheHub(files: Record<string, string>, asked: Asked, response: ServerResponse): void {
  const { path, host } = asked
  const port = host.split(':')[1]
  if (path.startsWith(`/api/models/${REPOSITORY}/tree/${COMMIT}`)) {
    const folder = { type: 'directory', path: 'onnx', size: 0, oid: '0'.repeat(40) }
    response.setHeader('Content-Type', 'application/json')
    response.end(
      JSON.stringify([folder, ...Object.entries(files).map(([name, text]) => listEntry(name, text))]),
    )
    return
  }
  const name = path.replace(`/${REPOSITORY}/resolve/${COMMIT}/`, '').replace('/cdn/', '')
  const text = files[name]
  if (text === undefined) response.writeHead(404).end('Entry not found')
  else if (name.endsWith('.onnx') && !path.startsWith('/cdn/'))
    response.writeHead(302, { Location: `http://cdn.test:${port}/cdn/${name}` }).end()
  else sendPart(text, asked, response)
}

/** Sends a file, or the rest of it from the byte that was asked for if the mark is still the same. */
export function sendPart(text: string, { range, ifRange }: Asked, response: ServerResponse): void {
  const bytes = Buffer.from(text)
  const etag = `"${sha256(text).slice(0, 16)}"`
  const start =
    range === undefined || (ifRange !== undefined && ifRange !== etag) ? 0 : Number(range.match(/\d+/)?.[0])
  if (start >= bytes.length) {
    response.writeHead(416, { 'Content-Range': `bytes */${bytes.length}` }).end()
    return
  }
  response.writeHead(start === 0 ? 200 : 206, {
    ETag: etag,
    'Content-Length': bytes.length - start,
    ...(start > 0 && { 'Content-Range': `bytes ${start}-${bytes.length - 1}/${bytes.length}` }),
  })
  response.end(bytes.subarray(start))
}

/** Sends the beginning of a file and breaks the connection. */
export function sendBeginning(text: string, bytes: number, response: ServerResponse): void {
  response.writeHead(200, {
    ETag: `"${sha256(text).slice(0, 16)}"`,
    'Content-Length': Buffer.byteLength(text),
  })
  response.write(Buffer.from(text).subarray(0, bytes), () => setImmediate(() => response.socket?.destroy()))
}
