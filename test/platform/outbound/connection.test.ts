import { afterAll, beforeAll, expect, test } from 'bun:test'
import { type AddressInfo, createServer } from 'node:net'
import { openConnection } from '../../../src/platform/outbound/connection.ts'

const server = createServer((socket) => socket.on('error', () => {}))
let port = 0

beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  port = (server.address() as AddressInfo).port
})
afterAll(() => void server.close())

const open = (addresses: string[], signal = new AbortController().signal) =>
  openConnection({ host: 'pictures.test', port, isTls: false, addresses }, { signal })

test('connects to the checked address, although the name leads nowhere', async () => {
  const socket = await open(['127.0.0.1'])
  expect(socket.remoteAddress).toBe('127.0.0.1')
  socket.destroy()
})

test('passes on to the next checked address when one refuses', async () => {
  const socket = await open(['127.0.0.2', '127.0.0.1'])
  expect(socket.remoteAddress).toBe('127.0.0.1')
  socket.destroy()
})

test('fails with connect when all refuse, and tries no more than three', async () => {
  await expect(open(['127.0.0.2', '127.0.0.3', '127.0.0.4', '127.0.0.1'])).rejects.toMatchObject({
    reason: 'connect',
  })
})

test('refuses a connection that ended at another address than the checked one', async () => {
  // The system answers a connection to "any address" from 127.0.0.1.
  await expect(open(['0.0.0.0'])).rejects.toMatchObject({ reason: 'blocked_address' })
})

test('does not begin after the time is over', async () => {
  await expect(open(['127.0.0.1'], AbortSignal.abort())).rejects.toMatchObject({ reason: 'timeout' })
})
