import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { networkKey, throttleKey } from '../../src/core/throttle-keys.ts'

describe('the key of a throttle', () => {
  test.each([
    ['203.0.113.9', '203.0.113.9'],
    ['::ffff:203.0.113.9', '203.0.113.9'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
    ['2001:db8:1:2::', '2001:db8:1:2::/64'],
    ['2001:db8::1', '2001:db8::/64'],
    ['::1', '::/64'],
    ['fe80::1%eth0', 'fe80::/64'],
    ['no address', 'no address'],
  ])('of %s is %s', (address, key) => {
    expect(throttleKey(address)).toBe(key)
  })

  test('is one for a whole /64 and another for its neighbour', () => {
    const last = throttleKey('2001:db8:1:2:ffff:ffff:ffff:ffff')
    expect(throttleKey('2001:db8:1:2::1')).toBe(last)
    expect(throttleKey('2001:db8:1:3::')).not.toBe(last)
  })
})

describe('the network of an address', () => {
  test.each([
    ['203.0.113.9', '203.0.113.0/24'],
    ['203.0.113.255', '203.0.113.0/24'],
    ['::ffff:203.0.113.9', '203.0.113.0/24'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1::/48'],
    ['2001:db8:1:ffff:ffff:ffff:ffff:ffff', '2001:db8:1::/48'],
    ['2001:db8::1', '2001:db8::/48'],
    ['::1', '::/48'],
    ['fe80::1%eth0', 'fe80::/48'],
    ['no address', 'no address'],
  ])('of %s is %s', (address, key) => {
    expect(networkKey(address)).toBe(key)
  })

  test('is one for all blocks that are counted alone inside it, and another beside it', () => {
    fc.assert(
      fc.property(fc.nat(0xffff), fc.nat(0xffff), (one, other) => {
        const [a, b] = [one, other].map((block) => `2001:db8:7:${block.toString(16)}::1`) as [string, string]
        expect(networkKey(a)).toBe(networkKey(b))
        expect(throttleKey(a) === throttleKey(b)).toBe(one === other)
      }),
    )
    expect(networkKey('2001:db8:8::1')).not.toBe(networkKey('2001:db8:7::1'))
    expect(networkKey('203.0.114.0')).not.toBe(networkKey('203.0.113.255'))
  })
})
