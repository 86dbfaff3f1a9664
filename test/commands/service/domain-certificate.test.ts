import { afterAll, describe, expect, test } from 'bun:test'
import { X509Certificate } from 'node:crypto'
import { mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { checkCertificate } from '../../../src/commands/doctor/certificate-check.ts'
import { openChallengeDoor } from '../../../src/commands/service/challenge-door.ts'
import {
  createRenewal,
  findRenewal,
  type RenewalDeps,
  readDomainCertificate,
} from '../../../src/commands/service/domain-certificate.ts'
import { loadConfig } from '../../../src/config.ts'
import { DAY_MS, systemClock } from '../../../src/core/clock.ts'
import { openAcmeFiles } from '../../../src/platform/acme/files.ts'
import { makeKey, makeOwnCertificate } from '../../../src/platform/acme/requests.ts'

const DATA_DIR = mkdtempSync(join(tmpdir(), 'lookalike-domain-'))
const DOMAIN = 'search.shop.example'
const files = openAcmeFiles(DATA_DIR, DOMAIN)
const config = loadConfig({ DATA_DIR, DOMAIN })
const now = Date.now()
afterAll(() => rmSync(DATA_DIR, { recursive: true, force: true }))

function keep(from: number, to: number): string {
  const key = makeKey()
  const cert = makeOwnCertificate(DOMAIN, key, from, to)
  files.write({ cert, key })
  return cert.trim()
}

describe('the settings of a service with a name', () => {
  test('listen on 443 of every address, unless they say otherwise', () => {
    expect(config).toMatchObject({ PORT: 443, HTTP_PORT: 80, BASE_URL: 'https://search.shop.example' })
    expect(['::', '0.0.0.0']).toContain(config.HOST)
    const other = { DOMAIN: 'Shop.Example.', PORT: '8443', HOST: '127.0.0.1', BASE_URL: 'https://a.example' }
    expect(loadConfig(other)).toMatchObject({
      DOMAIN: 'shop.example',
      PORT: 8443,
      HOST: '127.0.0.1',
      BASE_URL: 'https://a.example',
    })
    expect(loadConfig({})).toMatchObject({ PORT: 8080, HOST: '127.0.0.1', BASE_URL: '' })
  })

  test.each([
    '192.0.2.1',
    'localhost',
    '*.shop.example',
    'shop.example:443',
    'https://shop.example',
    'a.example,b.example',
    'shop..example',
    '-a.example',
    `${'a'.repeat(64)}.example`,
    '../../etc.example',
    'shop.example/x',
    '[::1]',
  ])('refuse the name %s', (name) => {
    expect(() => loadConfig({ DOMAIN: name })).toThrow('DOMAIN must be one name like search.shop.example')
  })

  test('refuse what contradicts the name, and an authority without TLS', () => {
    expect(() => loadConfig({ DOMAIN, BASE_URL: 'http://a.example' })).toThrow(
      'BASE_URL must begin with https',
    )
    expect(() => loadConfig({ DOMAIN, PORT: '80' })).toThrow('PORT and HTTP_PORT must differ')
    expect(() => loadConfig({ DOMAIN, TLS_CERT: 'a', TLS_KEY: 'b' })).toThrow('leave out TLS_CERT')
    expect(() => loadConfig({ DOMAIN, ACME_DIRECTORY: 'http://a.example/dir' })).toThrow(
      'ACME_DIRECTORY must',
    )
  })
})

describe('the certificate at the start', () => {
  test('is one of its own while there is none, and where the file is damaged', () => {
    const first = readDomainCertificate(config, now)
    expect(new X509Certificate(first.cert).checkHost(DOMAIN)).toBe(DOMAIN)
    keep(now - DAY_MS, now + DAY_MS)
    writeFileSync(files.certificate, 'half of a certif')
    expect(readDomainCertificate(config, now).cert).not.toBe(first.cert)
    const mixed = `${makeKey()}${makeOwnCertificate(DOMAIN, makeKey(), now, now + DAY_MS)}`
    writeFileSync(files.certificate, mixed)
    expect(files.read()).toBeUndefined()
  })

  test('is the one that was kept, also after its end; only the owner can read the file', () => {
    for (const endsAt of [now + DAY_MS, now - DAY_MS]) {
      const cert = keep(now - 90 * DAY_MS, endsAt)
      expect(readDomainCertificate(config, now).cert).toBe(cert)
    }
    files.accountKey()
    files.writeFailure({ at: now, reason: 'none' })
    const folder = join(DATA_DIR, 'certificates')
    for (const name of readdirSync(folder)) expect(statSync(join(folder, name)).mode & 0o777).toBe(0o600)
    expect(files.accountKey()).toBe(files.accountKey())
  })

  test('is renewed at two thirds of its life, and not all at one moment', () => {
    const moments = Array.from({ length: 40 }, (_, n) =>
      findRenewal({ cert: `certificate ${n}`, startsAt: 0, endsAt: 90 * DAY_MS }),
    )
    for (const moment of moments) {
      expect(moment).toBeLessThanOrEqual(60 * DAY_MS)
      expect(moment).toBeGreaterThanOrEqual(57 * DAY_MS)
    }
    expect(new Set(moments).size).toBeGreaterThan(20)
  })
})

test('the doctor tells the days that are left, and why there are no more', () => {
  const check = () => checkCertificate(config, now)
  keep(now - 30 * DAY_MS, now + 60.5 * DAY_MS)
  files.forgetFailure()
  expect(check()).toMatchObject({
    state: 'ok',
    text: 'The certificate for search.shop.example ends in 60 days',
  })
  files.writeFailure({ at: now, reason: 'the authority sleeps' })
  expect(check()).toMatchObject({ state: 'warning', text: expect.stringContaining('the authority sleeps') })
  keep(now - 90 * DAY_MS, now - DAY_MS)
  expect(check()).toMatchObject({ state: 'error', text: expect.stringContaining('ended on') })
  rmSync(files.certificate)
  expect(check()).toMatchObject({ state: 'error', text: expect.stringContaining('There is no certificate') })
  files.forgetFailure()
  expect(check()?.cure).toStartWith('Start the service')
})

describe('the door for the authority', () => {
  const answers = new Map([['token-1_A', 'token-1_A.print']])
  const free = () => {
    const probe = Bun.serve({ hostname: '127.0.0.1', port: 0, fetch: () => new Response() })
    return { port: probe.port ?? 0, close: () => probe.stop(true) }
  }
  const openAt = (HTTP_PORT: number) =>
    openChallengeDoor({ HOST: '127.0.0.1', HTTP_PORT, DOMAIN }, answers, 'https://search.shop.example')

  test('answers what the authority asks, and sends everybody else to https', async () => {
    const { port, close: free_ } = free()
    await free_()
    const close = openAt(port)
    const ask = (path: string, init: RequestInit = {}) =>
      fetch(`http://127.0.0.1:${port}${path}`, { redirect: 'manual', ...init })
    try {
      const answer = await ask('/.well-known/acme-challenge/token-1_A')
      expect([answer.status, await answer.text()]).toEqual([200, 'token-1_A.print'])
      for (const path of ['other', `${'a'.repeat(257)}`, 'token-1_A/x', '../token-1_A', '%2e%2e/token-1_A'])
        expect(await (await ask(`/.well-known/acme-challenge/${path}`)).text()).not.toContain('print')
      for (const [path, to = path] of [['/'], ['/docs?q=1&b=%2F'], ['/.well-known/other']]) {
        const redirect = await ask(path ?? '', {
          headers: { host: 'evil.example' },
          method: 'POST',
          body: 'x',
        })
        expect([redirect.status, redirect.headers.get('location')]).toEqual([308, `https://${DOMAIN}${to}`])
      }
    } finally {
      await close()
    }
  })

  test('says in one sentence that its port is used', async () => {
    const { port, close } = free()
    try {
      expect(() => openAt(port)).toThrow(
        `Port ${port}, at which the certificate authority asks, is used by another program: stop it,`,
      )
    } finally {
      await close()
    }
  })

  test('is opened as soon as its port is free, and the doctor forgets the failure', async () => {
    const { port, close } = free()
    keep(Date.now() - DAY_MS, Date.now() + 89 * DAY_MS)
    const settings = { DATA_DIR, DOMAIN, HOST: '127.0.0.1', HTTP_PORT: String(port) }
    const said: string[] = []
    const tell = (_fields: unknown, text?: string) => void said.push(text ?? '')
    const renewal = createRenewal(loadConfig(settings), {
      log: { info: tell, warn: tell, error: tell } as RenewalDeps['log'],
      clock: systemClock,
      show: () => void said.push('shown'),
      address: `https://${DOMAIN}`,
      stop: new AbortController().signal,
    })
    try {
      await renewal.tick()
      expect(said).toEqual(['the certificate was not renewed; the earlier one stays'])
      expect(files.readFailure()?.reason).toContain(`Port ${port}`)
      // Not before its time.
      await renewal.tick()
      expect(said).toHaveLength(1)
      await close()
      await renewal.tryNow()
      expect(files.readFailure()).toBeUndefined()
      expect((await fetch(`http://127.0.0.1:${port}/`, { redirect: 'manual' })).status).toBe(308)
      // It is not due, so nobody was asked and nothing has changed.
      expect(said).toHaveLength(1)
    } finally {
      await renewal.close()
    }
  })
})
