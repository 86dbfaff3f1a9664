import { afterAll, describe, expect, test } from 'bun:test'
import type { Socket } from 'node:net'
import { createServers, failureOf, localFetcher, PNG } from './servers.ts'

const servers = createServers()
afterAll(servers.stop)

const HINT = 'HTTP/1.1 103 Early Hints\r\nLink: </a.css>; rel=preload\r\n\r\n'
const PICTURE = `HTTP/1.1 200 OK\r\nContent-Length: ${PNG.length}\r\n\r\n${PNG.toString('latin1')}`

const download = async (talk: (socket: Socket) => void) => {
  const port = await servers.tcp((socket) => void socket.once('data', () => talk(socket)))
  return localFetcher().fetch(`http://127.0.0.1:${port}/`)
}

describe('answers before the answer (1xx)', () => {
  test.each([
    ['none', ''],
    ['one 100', 'HTTP/1.1 100 Continue\r\n\r\n'],
    ['ten 103', HINT.repeat(10)],
  ])('%s: the picture comes', async (_, before) => {
    const bytes = await download((socket) => void socket.end(before + PICTURE, 'latin1'))
    expect(Buffer.from(bytes).equals(PNG)).toBe(true)
  })

  test.each([
    ['eleven at once', HINT.repeat(11)],
    ['eleven of code 100', 'HTTP/1.1 100 Continue\r\n\r\n'.repeat(11)],
    [
      'few, with more than 64 KiB',
      `HTTP/1.1 103 Early Hints\r\nLink: ${'x'.repeat(30_000)}\r\n\r\n`.repeat(3),
    ],
  ])('%s: the download ends with connect', async (_, before) => {
    const failure = await failureOf(download((socket) => void socket.end(before + PICTURE, 'latin1')))
    expect(failure).toMatchObject({ code: 'image_download_failed', reason: 'connect' })
  })

  test.each([
    ['provisional answers', HINT],
    ['blank lines', '\r\n'.repeat(1_000)],
  ])('%s without an end: the connection is closed at once, whatever the server does', async (_, piece) => {
    const closed = Promise.withResolvers<number>()
    let sent = 0
    const failure = failureOf(
      download((socket) => {
        const flood = () => {
          while (!socket.destroyed && socket.write(piece)) sent += 1
        }
        socket.on('drain', flood)
        socket.on('close', () => closed.resolve(sent))
        flood()
      }),
    )
    expect(await failure).toMatchObject({ reason: 'connect' })
    // What fits between here and there, not what fifteen seconds can carry.
    expect((await closed.promise) * piece.length).toBeLessThan(50_000_000)
  })
})
