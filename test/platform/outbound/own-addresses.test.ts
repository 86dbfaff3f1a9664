import { describe, expect, test } from 'bun:test'
import { networkInterfaces } from 'node:os'
import { parseCidrs } from '../../../src/core/networks.ts'
import { findDestination } from '../../../src/platform/outbound/destination.ts'
import { createOwnAddresses } from '../../../src/platform/outbound/own-addresses.ts'
import { manualClock } from '../../support/app.ts'
import { failureOf, localFetcher } from '../pictures/servers.ts'

const clock = () => manualClock('2030-01-01T00:00:00Z')

describe('createOwnAddresses', () => {
  const isOwn = createOwnAddresses(clock(), () => ['198.41.0.4', '2001:500:2::c', 'fe80::1%eth0', 'nonsense'])

  test.each([
    '198.41.0.4',
    '::ffff:198.41.0.4',
    '::ffff:c629:4',
    '64:ff9b::198.41.0.4',
    '2001:500:2::c',
    '2001:0500:0002:0000:0000:0000:0000:000C',
  ])('%s is one of this machine, in whatever form', (address) => expect(isOwn(address)).toBe(true))

  test.each(['198.41.0.5', '2001:500:2::d', '64:ff9b::198.41.0.5', '::1', 'nonsense', '', 'example.com'])(
    '%s is none',
    (address) => expect(isOwn(address)).toBe(false),
  )

  test('knows the interfaces of the system', () => {
    const isOwnOfSystem = createOwnAddresses(clock())
    const addresses = Object.values(networkInterfaces()).flatMap((all) =>
      (all ?? []).map(({ address }) => address),
    )
    expect(addresses.length).toBeGreaterThan(0)
    expect(addresses.filter((address) => !address.includes('%') && !isOwnOfSystem(address))).toEqual([])
  })

  test('asks the system again after five seconds, not before, and keeps its answer when that fails', () => {
    const time = clock()
    let answer: string[] | undefined = ['198.41.0.4']
    let asked = 0
    const isNowOwn = createOwnAddresses(time, () => {
      asked += 1
      if (!answer) throw new Error('too many open files')
      return answer
    })
    const both = () => [isNowOwn('198.41.0.4'), isNowOwn('192.36.148.17')]
    expect(both()).toEqual([true, false])
    answer = ['192.36.148.17']
    time.advance(4_999)
    expect([both(), asked]).toEqual([[true, false], 1])
    time.advance(1)
    expect([both(), asked]).toEqual([[false, true], 2])
    answer = undefined
    time.advance(5_000)
    expect([both(), asked]).toEqual([[false, true], 3])
  })
})

describe('an address of this machine', () => {
  const rules = {
    allowCidrs: [],
    isOffline: false,
    lookup: async () => ['192.36.148.17', '198.41.0.4'],
    isOwnAddress: (address: string) => address === '198.41.0.4',
  }
  const find = (url: string, more: object = {}) =>
    findDestination(new URL(url), { ...rules, ...more }, new AbortController().signal).then(
      ({ addresses }) => addresses,
      ({ reason }) => reason,
    )

  test.each(['http://198.41.0.4/', 'https://198.41.0.4/', 'http://shop.test/'])(
    '%s is refused, by address and by a name of which one answer is it',
    async (url) => expect(await find(url)).toBe('blocked_address'),
  )

  test('is reachable when FETCH_ALLOW_CIDRS holds it', async () => {
    const allowed = { allowCidrs: parseCidrs('198.41.0.4/32') }
    expect(await find('http://198.41.0.4/', allowed)).toEqual(['198.41.0.4'])
    expect(await find('http://shop.test/', allowed)).toEqual(['192.36.148.17', '198.41.0.4'])
  })

  test('others are reachable as before', async () =>
    expect(await find('http://192.36.148.17/')).toEqual(['192.36.148.17']))

  test('is refused behind a redirect as well, and nothing is asked there', async () => {
    const { createServers } = await import('../pictures/servers.ts')
    const servers = createServers()
    const asked: string[] = []
    const port = await servers.http((request, response) => {
      asked.push(String(request.headers.host))
      response.writeHead(302, { location: 'http://own.test/' }).end()
    })
    const fetcher = localFetcher({
      lookup: async (host) => [host === 'own.test' ? '198.41.0.4' : '127.0.0.1'],
      isOwnAddress: (address) => address === '198.41.0.4',
    })
    expect(await failureOf(fetcher.fetch(`http://start.test:${port}/`))).toMatchObject({
      code: 'image_download_failed',
      reason: 'blocked_address',
    })
    expect(asked).toEqual([`start.test:${port}`])
    servers.stop()
  })

  test('a fetcher asks the system by itself', async () => {
    const addresses = Object.values(networkInterfaces()).flatMap((all) =>
      (all ?? []).map(({ address }) => address),
    )
    // Where the only addresses are private ones, they are refused for that.
    for (const address of addresses.filter((text) => !text.includes(':'))) {
      expect(await failureOf(localFetcher({ allowCidrs: [] }).fetch(`http://${address}/`))).toMatchObject({
        reason: 'blocked_address',
      })
    }
  })
})
