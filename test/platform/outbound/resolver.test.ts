import { afterAll, beforeAll, expect, test } from 'bun:test'
import { getServers, setServers } from 'node:dns'
import { readFile } from 'node:fs/promises'
import { lookupHost, parseServers } from '../../../src/platform/outbound/resolver.ts'

const servers = getServers()
let silent: { port: number; close(): void }
let questions = 0

beforeAll(async () => {
  silent = await Bun.udpSocket({ hostname: '127.0.0.1', port: 0, socket: { data: () => void questions++ } })
})
afterAll(() => {
  setServers(servers)
  silent.close()
})

test('names whose server never answers hold up no file and no other name', async () => {
  expect(await lookupHost('localhost')).toContain('127.0.0.1')
  setServers([`127.0.0.1:${silent.port}`])
  let ended = 0
  const end = () => void ended++
  for (let n = 0; n < 100; n++) lookupHost(`h${n}.silent.example`).then(end, end)
  while (questions === 0) await new Promise(setImmediate)
  expect((await readFile(import.meta.path, 'utf8')).length).toBeGreaterThan(0)
  await crypto.subtle.digest('SHA-256', new Uint8Array(100_000))
  expect(await lookupHost('localhost')).toContain('127.0.0.1')
  expect(ended).toBe(0)
})

test('the servers of a resolv.conf', () => {
  const text =
    '# nameserver 9.9.9.9\nsearch a.test\nnameserver 192.0.2.1\n\tnameserver   2001:db8::1 \noptions edns0\n'
  expect(parseServers(text)).toEqual(['192.0.2.1', '2001:db8::1'])
  expect(parseServers('')).toEqual([])
})
