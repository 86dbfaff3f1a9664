import { afterAll, beforeAll, expect, test } from 'bun:test'
import { createServer, type Server } from 'node:net'
import { recordBar } from './bars.ts'
import { type Client, createClient } from './client.ts'
import { type Install, newInstall, productForm, type Service, startService } from './service.ts'

/** Addresses of this machine, where a trap listens, and others that nobody may reach; each written in many ways. */
const TARGETS = ['127.0.0.1', '127.8.9.10', '0.0.0.0', '10.0.0.1', '169.254.169.254', '192.168.1.1']

const number = (address: string): bigint =>
  address.split('.').reduce((sum, part) => sum * 256n + BigInt(part), 0n)
const groups = (address: string): string =>
  number(address)
    .toString(16)
    .padStart(8, '0')
    .replace(/(.{4})/, '$1:')

const SPELLINGS: Record<string, (address: string) => string> = {
  plain: (address) => address,
  decimal: (address) => `${number(address)}`,
  hexadecimal: (address) => `0x${number(address).toString(16)}`,
  octal: (address) => `0${number(address).toString(8)}`,
  'two parts': (address) => `${address.split('.')[0]}.${number(address) % 2n ** 24n}`,
  'final dot': (address) => `${address}.`,
  'escaped dots': (address) => address.replaceAll('.', '%2e'),
  'full-width digits': (address) =>
    address.replace(/\d/g, (digit) => String.fromCodePoint(Number(digit) + 0xff10)),
  mapped: (address) => `[::ffff:${address}]`,
  NAT64: (address) => `[64:ff9b::${address}]`,
  '6to4': (address) => `[2002:${groups(address)}::1]`,
  compatible: (address) => `[::${address}]`,
}

let install: Install
let service: Service
let client: Client
let trap: Server
let port = 0
let connections = 0

beforeAll(async () => {
  trap = createServer((socket) => {
    connections++
    socket.destroy()
  })
  await new Promise<void>((resolve) => trap.listen(0, '0.0.0.0', resolve))
  port = (trap.address() as { port: number }).port
  install = await newInstall()
  // As at a customer's: it may fetch, from the public network.
  service = await startService(install, { settings: { OFFLINE: '0' } })
  client = createClient(service.address, install.token)
  expect((await client('POST', '/v1/products', await productForm('known', 1))).status).toBe(201)
}, 60_000)
afterAll(async () => {
  await service?.crash()
  install.remove()
  trap.close()
})

/** Every place where a caller names an address. */
const SINKS: Record<string, (url: string) => ReturnType<Client>> = {
  'a new product': (image_url) => client('POST', '/v1/products', { product_id: 'new', image_url }),
  'further views': (url) => client('PATCH', '/v1/products/known', { additional_image_urls: [url] }),
  'a replacement': (image_url) => client('PUT', '/v1/products/known', { image_url }),
  'a changed product': (image_url) => client('PATCH', '/v1/products/known', { image_url }),
  'a webhook': (url) => client('POST', '/v1/search/webhooks', { url, events: ['product.indexed'] }),
  'a search': (image_url) => client('POST', '/v1/search/url', { image_url }),
}

test('no address of this machine or its networks is reached through any route, however it is written', async () => {
  const wrong: string[] = []
  let tried = 0
  for (const [sink, send] of Object.entries(SINKS)) {
    const urls = Object.values(SPELLINGS).flatMap((spell) =>
      TARGETS.map((target) => `http://${spell(target)}:${port}/a.png`),
    )
    urls.push(`http://localhost:${port}/`, `http://a.localhost.:${port}/`, `https://[::1]:${port}/`)
    const answers = await Promise.all(urls.map(async (url) => ({ url, ...(await send(url)) })))
    tried += answers.length
    for (const { url, status, text } of answers) {
      const isRefused = status === 422 && /blocked_address|url_not_allowed/.test(text)
      if (!isRefused) wrong.push(`${sink} with ${url}: ${status} ${text}`)
    }
  }
  const measured = `${wrong.length} not refused, ${connections} connections at the trap`
  const isMet = wrong.length === 0 && connections === 0
  recordBar({ bar: 11, part: 'through the routes', on: 'program', n: tried, measured, isMet })
  expect(wrong).toEqual([])
  expect(connections).toBe(0)
  expect(tried).toBe(Object.keys(SINKS).length * (Object.keys(SPELLINGS).length * TARGETS.length + 3))
  // The trap counts: whoever asks it is seen.
  await fetch(`http://127.0.0.1:${port}/`).catch(() => undefined)
  expect(connections).toBe(1)
}, 120_000)
