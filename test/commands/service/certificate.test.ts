import { afterAll, describe, expect, test } from 'bun:test'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { readCertificate } from '../../../src/commands/service/certificate.ts'
import { loadConfig } from '../../../src/config.ts'
import { makeCertificate } from '../../support/certificate.ts'

const folder = mkdtempSync(join(tmpdir(), 'lookalike-certificate-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const first = makeCertificate(folder, 'first')
const second = makeCertificate(folder, 'second')
const DAY_MS = 86_400_000

describe.skipIf(!first || !second)('the certificate of the service', () => {
  const { cert, key } = first ?? { cert: '', key: '' }
  const read = (TLS_CERT: string, TLS_KEY: string, now = Date.now()) =>
    readCertificate({ TLS_CERT, TLS_KEY }, now)

  test('is read with its key and its end', () => {
    const certificate = read(cert, key)
    expect(certificate?.key).toContain('PRIVATE KEY')
    expect(certificate?.endsAt).toBeGreaterThan(Date.now())
    expect(read('', '')).toBeUndefined()
  })

  test.each([
    [
      'one that has ended',
      () => read(cert, key, Date.now() + 3 * DAY_MS),
      /TLS_CERT: .* ended on \d{4}-\d\d-\d\d: renew it/,
    ],
    [
      'the key of another one',
      () => read(cert, second?.key ?? ''),
      /TLS_KEY: .* is not that of the certificate/,
    ],
    [
      'a file that is missing',
      () => read(join(folder, 'none'), key),
      /TLS_CERT: .* cannot be read \(ENOENT\)/,
    ],
    ['a key in its place', () => read(key, key), /holds no certificate in PEM/],
    ['a certificate in the place of its key', () => read(cert, cert), /holds no private key in PEM/],
  ])('refuses %s in one sentence', (_, use, message) => {
    expect(use).toThrow(message)
  })

  test('a file of nonsense is refused', () => {
    const path = join(folder, 'nonsense')
    writeFileSync(path, '-----BEGIN CERTIFICATE-----\nnonsense\n-----END CERTIFICATE-----\n')
    expect(() => read(path, key)).toThrow('holds no certificate')
  })
})

test('a certificate without a key is a bad setting, and the other way round', () => {
  expect(() => loadConfig({ TLS_CERT: '/etc/cert.pem' })).toThrow('required together')
  expect(() => loadConfig({ TLS_KEY: '/etc/key.pem' })).toThrow('required together')
})
