import { describe, expect, test } from 'bun:test'
import { parseCidrs } from '../../../src/core/networks.ts'
import { type DestinationRules, findDestination } from '../../../src/platform/outbound/destination.ts'
import { parseHttpUrl } from '../../../src/platform/outbound/http-url.ts'

const PUBLIC = '93.184.215.14'
const PUBLIC_IPV6 = '2606:2800:21f:cb07:6820:80da:af6b:8b2c'

const find = (url: string, answers: string[], rules: { allow?: string; isOffline?: boolean } = {}) => {
  const asked: string[] = []
  const full: DestinationRules = {
    allowCidrs: parseCidrs(rules.allow ?? ''),
    isOffline: rules.isOffline ?? false,
    lookup: async (host) => {
      asked.push(host)
      return answers
    },
  }
  const found = findDestination(parseHttpUrl(url, 2048), full, new AbortController().signal)
  return { asked, found }
}

describe('findDestination', () => {
  test('gives every checked address, IPv4 first', async () => {
    const { found } = find('https://cdn.example.com/a', [PUBLIC_IPV6, PUBLIC, PUBLIC])
    expect(await found).toEqual({
      host: 'cdn.example.com',
      port: 443,
      isTls: true,
      addresses: [PUBLIC, PUBLIC_IPV6],
    })
  })

  test('takes an address as it is, without a lookup', async () => {
    const { asked, found } = find(`http://[${PUBLIC_IPV6}]/`, [])
    expect(await found).toEqual({ host: PUBLIC_IPV6, port: 80, isTls: false, addresses: [PUBLIC_IPV6] })
    expect(asked).toEqual([])
  })

  test.each([
    ['a private A', ['10.0.0.1']],
    ['a private AAAA', ['fd00::1']],
    ['a public before a private one', [PUBLIC, '192.168.0.1']],
    ['a private before a public one', ['127.0.0.1', PUBLIC]],
    ['a public A and a link-local AAAA', [PUBLIC, 'fe80::1']],
    ['a mapped loopback', ['::ffff:127.0.0.1']],
    ['an answer that is no address', ['not an address']],
    ['an answer with a zone', ['fe80::1%eth0']],
  ])('refuses a name with %s', async (_, answers) => {
    await expect(find('https://rebind.example/', answers).found).rejects.toMatchObject({
      reason: 'blocked_address',
    })
  })

  test('one network that is allowed does not open another', async () => {
    const { found } = find('https://a.example/', ['10.0.0.1', '10.1.0.1'], { allow: '10.0.0.0/16' })
    await expect(found).rejects.toMatchObject({ reason: 'blocked_address' })
  })

  test('an allowed network may stand beside public answers, on a standard port', async () => {
    const { found } = find('https://a.example/', ['10.0.0.1', PUBLIC], { allow: '10.0.0.0/16' })
    expect((await found).addresses).toEqual(['10.0.0.1', PUBLIC])
  })

  test.each([
    ['http://a.example:8080/', [PUBLIC], ''],
    ['http://a.example:8080/', [PUBLIC], '10.0.0.0/8'],
    ['http://a.example:8080/', [PUBLIC, '10.0.0.1'], '10.0.0.0/8'],
    [`http://${PUBLIC}:22/`, [], ''],
    ['http://a.example:0/', [PUBLIC], '10.0.0.0/8'],
  ])('refuses the port of %s for %p with %p allowed', async (url, answers, allow) => {
    await expect(find(url, answers, { allow }).found).rejects.toMatchObject({ reason: 'url_not_allowed' })
  })

  const CURE = 'the operator can allow it with'
  test.each([
    [
      'http://localhost:9000/',
      `localhost is not a public address, and port 9000 is not allowed, only 80 and 443 are; ${CURE} X_CIDRS=127.0.0.0/8`,
    ],
    [
      'http://127.0.0.1:9000/',
      `127.0.0.1 is not a public address, and port 9000 is not allowed, only 80 and 443 are; ${CURE} X_CIDRS=127.0.0.0/8`,
    ],
    ['http://10.1.2.3/', `10.1.2.3 is not a public address; ${CURE} X_CIDRS=10.1.2.3/32`],
    ['http://[fd00::1]/', `fd00::1 is not a public address; ${CURE} X_CIDRS=fd00::1/128`],
    [`http://${PUBLIC}:22/`, `port 22 is not allowed, only 80 and 443 are; ${CURE} its network in X_CIDRS`],
    [
      'http://a.example:8080/',
      `port 8080 is not allowed, only 80 and 443 are; ${CURE} its network in X_CIDRS`,
    ],
    ['http://a.example/', `a.example does not resolve to a public address; ${CURE} its network in X_CIDRS`],
  ])(
    '%s: every reason at once, and the setting that allows it, but not what a name resolves to',
    async (url, message) => {
      const rules = { allowCidrs: [], isOffline: false, setting: 'X_CIDRS', lookup: async () => ['10.9.9.9'] }
      const found = findDestination(parseHttpUrl(url, 2048), rules, new AbortController().signal)
      await expect(found).rejects.toMatchObject({ message })
    },
  )

  test('takes any port inside an allowed network', async () => {
    const { found } = find('http://a.example:8080/', ['10.0.0.1'], { allow: '10.0.0.0/8' })
    expect((await found).port).toBe(8080)
  })

  test('drops the final dot of a name', async () => {
    const { asked, found } = find('https://cdn.example.com./a', [PUBLIC])
    expect((await found).host).toBe('cdn.example.com')
    expect(asked).toEqual(['cdn.example.com'])
  })

  test.each(['localhost', 'localhost.', 'LOCALHOST', 'shop.localhost'])(
    '%s is this machine whatever a name server says, and allowed only as such',
    async (host) => {
      const refused = find(`http://${host}/`, [PUBLIC])
      await expect(refused.found).rejects.toMatchObject({ reason: 'blocked_address' })
      const allowed = find(`http://${host}:8080/`, [PUBLIC], { allow: '127.0.0.0/8' })
      expect((await allowed.found).addresses).toEqual(['127.0.0.1'])
      expect([...refused.asked, ...allowed.asked]).toEqual([])
    },
  )

  test('a name without addresses fails with dns', async () => {
    await expect(find('https://a.example/', []).found).rejects.toMatchObject({ reason: 'dns' })
  })

  test('offline, only allowed networks are reachable', async () => {
    const rules = { allow: '10.0.0.0/8', isOffline: true }
    expect((await find('https://a.example/', ['10.0.0.1'], rules).found).addresses).toEqual(['10.0.0.1'])
    for (const answers of [[PUBLIC], [PUBLIC, '10.0.0.1']]) {
      await expect(find('https://a.example/', answers, rules).found).rejects.toMatchObject({
        reason: 'blocked_address',
      })
    }
  })

  test('offline without allowed networks, not even a name is looked up', async () => {
    const { asked, found } = find('https://a.example/', [PUBLIC], { isOffline: true })
    await expect(found).rejects.toMatchObject({ reason: 'blocked_address' })
    expect(asked).toEqual([])
  })
})
