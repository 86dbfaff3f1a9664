import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { isInside, parseCidrs } from '../../src/core/networks.ts'
import { createClientAddress } from '../../src/http/client-address.ts'

const TRUSTED = parseCidrs('10.0.0.0/8, 2001:db8:ffff::/48')

/** The address that is found for a peer, with the proxies of {@link TRUSTED}. */
function found(peer: string | undefined, forwardedFor?: string | [string, string][]): string {
  const findAddress = createClientAddress({
    isTrusted: (address) => isInside(address, TRUSTED),
    findPeer: () => peer,
  })
  const headers =
    typeof forwardedFor === 'string' ? { 'x-forwarded-for': forwardedFor } : (forwardedFor ?? {})
  return findAddress(new Request('http://lookalike.test/', { headers }))
}

describe('without a trusted proxy', () => {
  test.each([
    ['203.0.113.9', '203.0.113.9'],
    ['2001:DB8:0:0:0:0:0:1', '2001:db8::1'],
    ['::ffff:203.0.113.9', '203.0.113.9'],
    ['fe80::1%eth0', 'fe80::1'],
    ['::10.0.0.1', '::a00:1'],
  ])('the peer %s is the client %s', (peer, client) => {
    expect(found(peer)).toBe(client)
  })

  test('a stranger’s word about himself is not believed', () => {
    expect(found('203.0.113.9', '198.51.100.1')).toBe('203.0.113.9')
    expect(found('203.0.113.9', '10.0.0.1')).toBe('203.0.113.9')
    expect(found('2001:db8::1', '198.51.100.1')).toBe('2001:db8::1')
  })

  test('a request that came over no network is of this machine', () => {
    expect(found(undefined)).toBe('127.0.0.1')
  })

  test('a peer that cannot be read is nobody in particular', () => {
    expect(found('/run/lookalike.sock', '198.51.100.1')).toBe('0.0.0.0')
  })

  test('other headers that name an address are not read at all', () => {
    const names = ['x-real-ip', 'forwarded', 'cf-connecting-ip', 'true-client-ip', 'x-client-ip']
    const headers = names.map((name): [string, string] => [name, '198.51.100.1'])
    expect(found('10.0.0.1', headers)).toBe('10.0.0.1')
  })
})

describe('behind trusted proxies', () => {
  test.each([
    ['198.51.100.1', '198.51.100.1'],
    ['198.51.100.1, 10.0.0.2', '198.51.100.1'],
    ['198.51.100.1,10.0.0.2,10.0.0.3', '198.51.100.1'],
    ['198.51.100.1, 2001:db8:ffff::7', '198.51.100.1'],
    ['198.51.100.1:52100', '198.51.100.1'],
    ['2001:db8::5', '2001:db8::5'],
    ['[2001:db8::5]', '2001:db8::5'],
    ['[2001:db8::5]:443', '2001:db8::5'],
    ['"[2001:db8::5]:443"', '2001:db8::5'],
    ['fe80::5%eth0', 'fe80::5'],
    ['[fe80::5%25eth0]:443', 'fe80::5'],
    ['::ffff:198.51.100.1', '198.51.100.1'],
    ['[::ffff:198.51.100.1]:80, ::ffff:10.0.0.2', '198.51.100.1'],
    ['  198.51.100.1\t', '198.51.100.1'],
    ['198.51.100.1, ,', '198.51.100.1'],
  ])('%p names the client %s', (header, client) => {
    expect(found('10.0.0.1', header)).toBe(client)
    expect(found('::ffff:10.0.0.1', header)).toBe(client)
  })

  test('what stands left of the client was made up by him', () => {
    expect(found('10.0.0.1', '127.0.0.1, 192.0.2.1, 198.51.100.1, 10.0.0.2')).toBe('198.51.100.1')
    expect(found('10.0.0.1', 'garbage, 198.51.100.1')).toBe('198.51.100.1')
  })

  test('several headers count as one list', () => {
    const headers: [string, string][] = [
      ['x-forwarded-for', '192.0.2.1'],
      ['x-forwarded-for', '198.51.100.1, 10.0.0.2'],
    ]
    expect(found('10.0.0.1', headers)).toBe('198.51.100.1')
  })

  test('a chain of proxies alone ends at its beginning', () => {
    expect(found('10.0.0.1')).toBe('10.0.0.1')
    expect(found('10.0.0.1', '')).toBe('10.0.0.1')
    expect(found('10.0.0.1', '10.0.0.9, 10.0.0.2')).toBe('10.0.0.9')
  })

  test.each([
    'unknown',
    '_hidden',
    'shop.example',
    '010.1.1.1',
    '0x7f000001',
    '127.1',
    '2130706433',
    '198.51.100.1:port',
    '198.51.100.1:123456',
    '198.51.100.256',
    '[198.51.100.1]',
    '[2001:db8::5',
    '2001:db8::5]:443',
    '[]',
    '""',
    'for=198.51.100.1',
    '198.51.100.1; 10.0.0.2',
  ])('%p is no address: the search ends with the last good one', (garbage) => {
    expect(found('10.0.0.1', garbage)).toBe('10.0.0.1')
    expect(found('10.0.0.1', `198.51.100.1, ${garbage}, 10.0.0.2`)).toBe('10.0.0.2')
  })

  test('10 kB of anything end at the client that the proxy wrote', () => {
    for (const filler of ['10.0.0.2, ', '198.51.100.7, ', 'x', ',', '[', '"', '%', ':']) {
      const header = `${filler.repeat(10_240 / filler.length)}, 198.51.100.1`
      expect(found('10.0.0.1', header)).toBe('198.51.100.1')
    }
  })

  test('without an end to the chain the search gives up', () => {
    expect(found('10.0.0.1', `198.51.100.1, ${'10.0.0.2, '.repeat(1_000)}`)).toBe('10.0.0.2')
  })

  test('no header of a client moves what the proxy wrote behind it', () => {
    const entry = fc.oneof(
      fc.ipV4(),
      fc.ipV6(),
      fc.constantFrom('10.0.0.2', '', 'unknown', '[::1]:1'),
      fc.stringMatching(/^[ -~]*$/),
    )
    fc.assert(
      fc.property(fc.array(entry, { maxLength: 8 }), (made) => {
        expect(found('10.0.0.1', [...made, '198.51.100.1', '10.0.0.3'].join(','))).toBe('198.51.100.1')
      }),
    )
  })
})

test('addresses stay right when more peers come than are remembered', () => {
  let peer = ''
  const addressOf = createClientAddress({ isTrusted: () => false, findPeer: () => peer })
  for (let round = 0; round < 2; round++) {
    for (let n = 0; n < 2_500; n++) {
      peer = `::ffff:10.0.${n >> 8}.${n & 255}`
      expect(addressOf(new Request('http://lookalike.test/'))).toBe(`10.0.${n >> 8}.${n & 255}`)
    }
  }
})
