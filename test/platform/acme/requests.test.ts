import { describe, expect, test } from 'bun:test'
import { createPrivateKey, X509Certificate } from 'node:crypto'
import { makeKey, makeOwnCertificate, makeRequest } from '../../../src/platform/acme/requests.ts'

const NAMES = ['search.shop.example', `${'a'.repeat(63)}.${'b'.repeat(63)}.${'c'.repeat(63)}.example`]
const openssl = Bun.which('openssl')

/** What OpenSSL reads of a request whose signature it has verified. */
function readByOpenssl(request: string): string {
  const words = ['req', '-verify', '-noout', '-text']
  const { exitCode, stdout, stderr } = Bun.spawnSync([openssl ?? '', ...words], {
    stdin: Buffer.from(request),
  })
  if (exitCode !== 0) throw new Error(String(stderr))
  return String(stdout)
}

describe('requests for certificates', () => {
  test.skipIf(!openssl).each(NAMES)('OpenSSL reads the name and the signature of one for %s', (name) => {
    const text = readByOpenssl(makeRequest(name, makeKey()))
    expect(text).toContain(`DNS:${name}`)
    expect(text).toContain('ecdsa-with-SHA256')
    expect(text).toMatch(/Subject: *\n/)
  })

  test.each(NAMES)("the service's own certificate is for %s and for no other name", (name) => {
    const key = makeKey()
    const from = Date.UTC(2026, 10, 27, 1, 2, 3)
    const read = new X509Certificate(makeOwnCertificate(name, key, from, from + 7 * 86_400_000))
    expect(read.verify(read.publicKey)).toBe(true)
    expect(read.checkPrivateKey(createPrivateKey(key))).toBe(true)
    expect(read.checkHost(name)).toBe(name)
    expect(read.checkHost('other.example')).toBeUndefined()
    expect([read.validFrom, read.validTo].map((text) => Date.parse(text))).toEqual([
      from,
      from + 7 * 86_400_000,
    ])
  })

  test('no two have the same key or number', () => {
    const [first, second] = [makeKey(), makeKey()].map(
      (key) => new X509Certificate(makeOwnCertificate('a.example', key, Date.now(), Date.now() + 1_000)),
    )
    expect(first?.serialNumber).not.toBe(second?.serialNumber)
    expect(first?.fingerprint256).not.toBe(second?.fingerprint256)
  })
})
