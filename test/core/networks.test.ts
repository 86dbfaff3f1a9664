import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import {
  isGlobalAddress,
  isInside,
  isSameAddress,
  networkMatcher,
  parseCidrs,
  readNetwork,
} from '../../src/core/networks.ts'
import { SPECIAL_BLOCKS, threeOf } from '../platform/outbound/special-blocks.ts'
import { recordBar } from '../robustness/bars.ts'

/** The neighbours of every special block, and addresses in daily use. */
const PUBLIC_ADDRESSES = [
  '1.0.0.0',
  '9.255.255.255',
  '11.0.0.0',
  '100.63.255.255',
  '100.128.0.0',
  '126.255.255.255',
  '128.0.0.0',
  '168.63.129.15',
  '168.63.129.17',
  '169.253.255.255',
  '169.255.0.0',
  '172.15.255.255',
  '172.32.0.0',
  '191.255.255.255',
  '192.0.1.0',
  '192.0.1.255',
  '192.0.3.0',
  '192.31.195.255',
  '192.31.197.0',
  '192.52.192.255',
  '192.52.194.0',
  '192.88.98.255',
  '192.88.100.0',
  '192.167.255.255',
  '192.169.0.0',
  '192.175.47.255',
  '192.175.49.0',
  '198.17.255.255',
  '198.20.0.0',
  '198.51.99.255',
  '198.51.101.0',
  '203.0.112.255',
  '203.0.114.0',
  '223.255.255.255',
  '1.1.1.1',
  '8.8.8.8',
  '9.9.9.9',
  '13.32.0.1',
  '23.235.33.229',
  '52.95.0.1',
  '104.16.0.1',
  '151.101.1.1',
  '185.199.108.153',
  '199.232.0.1',
  '2000::',
  '2001:200::',
  '2001:db7:ffff:ffff:ffff:ffff:ffff:ffff',
  '2001:db9::',
  '2001:ffff:ffff:ffff:ffff:ffff:ffff:ffff',
  '2003::',
  '2620:4f:7fff:ffff:ffff:ffff:ffff:ffff',
  '2620:4f:8001::',
  '3ffe:ffff:ffff:ffff:ffff:ffff:ffff:ffff',
  '3fff:1000::',
  '3fff:ffff:ffff:ffff:ffff:ffff:ffff:ffff',
  '2001:4860:4860::8888',
  '2606:4700:4700::1111',
  '2620:fe::fe',
  '2a00:1450:4001:81b::200e',
  '2a03:2880:f003::1',
  '2400:cb00:2048::1',
  '2600:1f18::1',
  '2804:14c::1',
  '2c0f:fb50::1',
  '::ffff:8.8.8.8',
  '::ffff:101:101',
  '64:ff9b::8.8.8.8',
]

describe('isGlobalAddress', () => {
  test.each(SPECIAL_BLOCKS)('refuses the first, a middle and the last address of %s', (block) => {
    expect(threeOf(block).filter(isGlobalAddress)).toEqual([])
  })

  test('accepts the neighbours of special blocks and addresses in daily use', () => {
    const refused = PUBLIC_ADDRESSES.filter((address) => !isGlobalAddress(address))
    const { length: n } = PUBLIC_ADDRESSES
    const measured = `${refused.length} refused`
    recordBar({ bar: 12, part: 'corpus', on: 'process', n, measured, isMet: refused.length === 0 })
    expect(n).toBeGreaterThanOrEqual(60)
    expect(refused).toEqual([])
  })

  test.each([
    '',
    'example.com',
    '0x7f.1',
    '2130706433',
    '0177.0.0.1',
    '8.8.8',
    '008.8.8.8',
    '8.8.8.8.',
    ' 8.8.8.8',
    '[2000::]',
    '2000::%eth0',
    'fe80::1%1',
    '8.8.8.8/32',
  ])('refuses %j, which is no plain address', (text) => {
    expect(isGlobalAddress(text)).toBe(false)
  })
})

describe('parseCidrs', () => {
  test('reads blocks and single addresses of both families, with spaces and empty entries', () => {
    const cidrs = parseCidrs(' 10.0.0.0/8, 192.168.1.7 ,, fd00::/8,::1')
    expect(cidrs.map(([first, bits]) => `${first}/${bits}`)).toEqual([
      '10.0.0.0/8',
      '192.168.1.7/32',
      'fd00::/8',
      '::1/128',
    ])
    expect(parseCidrs('')).toEqual([])
  })

  test.each([
    'example.com',
    '10.0.0.0/33',
    '10.0.0.0/-1',
    '10.0.0.0/',
    '10.0.0.0/8/8',
    '10/8',
    '0x0a.0.0.0/8',
    'fd00::/129',
    'fe80::1%eth0/64',
    '10.0.0.0/1e1',
    '10.0.0.0 /8',
  ])('names the bad entry %j', (entry) => {
    expect(() => parseCidrs(`127.0.0.0/8, ${entry}`)).toThrow(`"${entry}"`)
  })
})

describe('isInside', () => {
  const cidrs = parseCidrs('10.0.0.0/8, fd00:1::/32, ::ffff:192.168.0.0/112')

  test.each([
    ['10.0.0.0', true],
    ['10.255.255.255', true],
    ['11.0.0.0', false],
    ['::ffff:10.1.2.3', true],
    ['::ffff:11.1.2.3', false],
    ['fd00:1:ffff::1', true],
    ['fd00:2::1', false],
    ['192.168.200.1', true],
    ['192.169.0.1', false],
    ['64:ff9b::10.0.0.1', false],
    ['10.0.0', false],
    ['intranet', false],
  ])('%s: %p', (address, expected) => {
    expect(isInside(address, cidrs)).toBe(expected)
  })

  test('an open block of one family says nothing about the other', () => {
    expect(isInside('::1', parseCidrs('0.0.0.0/0'))).toBe(false)
    expect(isInside('127.0.0.1', parseCidrs('::/0'))).toBe(false)
  })
})

test.each([
  ['127.0.0.1', '::ffff:127.0.0.1', true],
  ['2001:4860:4860:0:0:0:0:8888', '2001:4860:4860::8888', true],
  ['127.0.0.1', '127.0.0.2', false],
  ['', '', false],
  ['127.0.0.1', 'undefined', false],
])('isSameAddress(%j, %j): %p', (one, other, expected) => {
  expect(isSameAddress(one, other)).toBe(expected)
})

describe('a block of addresses that somebody wrote', () => {
  test.each([
    ['10.1.0.0/16', '10.1.0.0/16'],
    ['10.1.2.3', '10.1.2.3/32'],
    ['10.1.2.3/32', '10.1.2.3/32'],
    ['0.0.0.0/0', '0.0.0.0/0'],
    ['2001:DB8:0:0::/48', '2001:db8::/48'],
    ['2001:db8::1', '2001:db8::1/128'],
    ['::/0', '::/0'],
    ['::10.0.0.1', '::a00:1/128'],
    ['::ffff:203.0.113.9', '203.0.113.9/32'],
    ['::ffff:cb00:7109', '203.0.113.9/32'],
    ['::ffff:10.0.0.0/104', '10.0.0.0/8'],
  ])('%s is %s', (written, network) => {
    expect(readNetwork(written)).toBe(network)
  })

  test.each([
    ['10.1.2.3/16', '10.1.0.0/16'],
    ['10.0.0.1/31', '10.0.0.0/31'],
    ['203.0.113.9/0', '0.0.0.0/0'],
    ['2001:db8::1/64', '2001:db8::/64'],
    ['2001:db8:0:1:8000::/64', '2001:db8:0:1::/64'],
    ['::ffff:10.1.2.3/104', '10.0.0.0/8'],
  ])('%s points into %s, and is that', (written, network) => {
    expect(readNetwork(written)).toBe(network)
  })

  test.each([
    '',
    'shop.example',
    '10.0.0.0/33',
    '10.0.0.0/-1',
    '10.0.0.0/',
    '10.0.0.0/8/8',
    '10.0.0.0/255.0.0.0',
    '10.0.0.0-10.0.0.9',
    '10.1/16',
    '10.1',
    '010.1.0.0',
    '0x0a.1.0.0',
    '167772160',
    '2001:db8::/129',
    'fe80::1%eth0',
    'fe80::%1/64',
    '[2001:db8::1]',
    '10.0.0.1:80',
  ])('%p is none', (written) => {
    expect(readNetwork(written)).toBeUndefined()
  })

  test('keeps its meaning in the canonical form: both hold the same addresses', () => {
    const address = fc.oneof(fc.ipV4(), fc.ipV6())
    const near = fc.tuple(address, fc.nat(128), address)
    fc.assert(
      fc.property(near, ([start, bitsWanted, other]) => {
        const bits = start.includes(':') ? bitsWanted : Math.min(bitsWanted, 32)
        const written = `${start}/${bits}`
        const read = readNetwork(written)
        if (read === undefined) throw new Error(`${written} is a block`)
        expect(readNetwork(read)).toBe(read)
        const holds = networkMatcher([read])
        expect(holds(start)).toBe(true)
        expect(holds(other)).toBe(isInside(other, parseCidrs(written)))
      }),
      { numRuns: 300 },
    )
  })
})

describe('a list of blocks', () => {
  const holds = networkMatcher(['10.0.0.0/8', '203.0.113.9/32', '2001:db8:1::/48'])

  test.each(['10.0.0.0', '10.255.255.255', '203.0.113.9', '2001:db8:1:ffff::1', '::ffff:10.1.2.3'])(
    'holds %s',
    (address) => {
      expect(holds(address)).toBe(true)
    },
  )

  test.each(['9.255.255.255', '11.0.0.0', '203.0.113.8', '2001:db8:2::', '::10.0.0.1', 'fe80::1%eth0', ''])(
    'does not hold %p',
    (address) => {
      expect(holds(address)).toBe(false)
    },
  )

  test('of nothing holds nothing', () => {
    expect(networkMatcher([])('10.0.0.1')).toBe(false)
  })
})
