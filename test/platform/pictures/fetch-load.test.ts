import { afterAll, expect, test } from 'bun:test'
import type { Socket } from 'node:net'
import { createByteBudget } from '../../../src/core/byte-budget.ts'
import { LIMITS } from '../../../src/core/limits.ts'
import { until } from '../../robustness/service.ts'
import { createServers, failureOf, localFetcher, PNG } from './servers.ts'

const servers = createServers()
afterAll(servers.stop)

const never = () => new Promise<string[]>(() => {})
const HERE = Promise.resolve(['127.0.0.1'])

test('overloaded at once for the 33rd download of one store, while others go on, however many those are', async () => {
  const busy = localFetcher({ lookup: never })
  const begin = (storeId: string, count: number) => {
    for (let n = 0; n < count; n++) busy.fetch(`http://h${n}.test/`, { storeId }).catch(() => {})
  }
  begin('shop', LIMITS.downloadsInLine.perOwnerMax)
  expect(await failureOf(busy.fetch('http://a.test/'))).toMatchObject({ code: 'overloaded' })
  for (const storeId of ['b', 'c', 'd', 'e']) begin(storeId, LIMITS.downloadsInLine.perOwnerMax)
  expect(await failureOf(busy.fetch('http://a.test/', { storeId: 'e' }))).toMatchObject({
    code: 'overloaded',
  })
  const port = await servers.http((_, response) => void response.end(PNG))
  const late = localFetcher({ lookup: (host) => (host === 'here.test' ? HERE : never()) })
  for (const storeId of ['b', 'c', 'd', 'e']) {
    for (let n = 0; n < 32; n++) late.fetch(`http://h${n}.test/`, { storeId }).catch(() => {})
    for (let n = 0; n < 20; n++) late.fetch(`http://j${n}.test/`, { storeId, isBulk: true }).catch(() => {})
  }
  const counts = { request: LIMITS.downloadsInLine.firstMax, job: 20 }
  for (const [who, count] of Object.entries(counts)) {
    const fetch = () => late.fetch(`http://here.test:${port}/`, { storeId: 'late', isBulk: who === 'job' })
    const pictures = await Promise.all(Array.from({ length: count }, fetch))
    expect(pictures.map(({ length }) => length)).toEqual(Array(count).fill(PNG.length))
  }
})

test('a malformed address is told as such, however long the line is', async () => {
  const busy = localFetcher({ lookup: never })
  for (let n = 0; n < 32; n++) busy.fetch('http://a.test/').catch(() => {})
  expect(await failureOf(busy.fetch('file:///etc/passwd'))).toMatchObject({ code: 'url_not_allowed' })
})

test('eight downloads of a store run at once, over all hosts', async () => {
  const asked: string[] = []
  const { promise: gate, resolve: open } = Promise.withResolvers<void>()
  const port = await servers.http((_, response) => void response.end(PNG))
  const fetcher = localFetcher({
    async lookup(host) {
      asked.push(host)
      await gate
      return ['127.0.0.1']
    },
  })
  const all = Array.from({ length: 12 }, (_, n) => fetcher.fetch(`http://h${n}.test:${port}/`))
  await new Promise(setImmediate)
  expect(asked).toHaveLength(8)
  open()
  expect((await Promise.all(all)).map(({ length }) => length)).toEqual(Array(12).fill(PNG.length))
})

test('a picture is read once there is room for it, and counts until it is used', async () => {
  const picture = Buffer.concat([PNG, Buffer.alloc(500_000)])
  const budget = createByteBudget({ max: 800_000, perOwnerMax: 800_000 })
  const port = await servers.http((_, response) => void response.end(picture))
  const fetcher = localFetcher({ budget })
  const used = Promise.withResolvers<void>()
  const first = await fetcher.fetch(`http://a.test:${port}/`, { until: used.promise })
  expect(budget.held()).toBe(picture.length)
  let isDone = false
  const second = fetcher.fetch(`http://a.test:${port}/`).then((bytes) => {
    isDone = true
    return bytes
  })
  await Bun.sleep(20)
  expect([isDone, budget.held()]).toEqual([false, picture.length])
  used.resolve()
  expect([first, await second].map((bytes) => Buffer.from(bytes).equals(picture))).toEqual([true, true])
  await until('nothing is held', () => budget.held() === 0)
})

test('a server that breaks off while its picture waits for room harms nobody', async () => {
  const budget = createByteBudget({ max: 1_000, perOwnerMax: 1_000 })
  const room = budget.take('another', 1_000)
  const sockets: Socket[] = []
  const port = await servers.tcp((socket) => {
    sockets.push(socket)
    socket.on('data', () => void socket.write('HTTP/1.1 200 OK\r\ncontent-length: 900\r\n\r\nabc'))
  })
  const fetcher = localFetcher({ budget })
  const failed = failureOf(fetcher.fetch(`http://a.test:${port}/`))
  await until('it has asked', () => sockets.length === 1)
  await Bun.sleep(20)
  sockets[0]?.resetAndDestroy()
  await Bun.sleep(20)
  room.release()
  expect(await failed).toMatchObject({ code: 'image_download_failed', reason: 'connect' })
  await until('nothing is held', () => budget.held() === 0)
})

test('an answer without a length takes room for the largest picture, then for itself', async () => {
  const budget = createByteBudget()
  const held: number[] = []
  const port = await servers.http(async (_, response) => {
    response.write(PNG)
    await until('it has room', () => budget.held() > 0)
    held.push(budget.held())
    response.end(Buffer.alloc(200_000))
  })
  const used = Promise.withResolvers<void>()
  const bytes = await localFetcher({ budget }).fetch(`http://a.test:${port}/`, { until: used.promise })
  expect(bytes.length).toBe(PNG.length + 200_000)
  expect([...held, budget.held()]).toEqual([LIMITS.pictureBytesMax, bytes.length])
  used.resolve()
})
