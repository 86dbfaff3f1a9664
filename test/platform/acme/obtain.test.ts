import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseCidrs } from '../../../src/core/networks.ts'
import { obtainCertificate } from '../../../src/platform/acme/obtain.ts'
import type { AcmeError } from '../../../src/platform/acme/problem.ts'
import { makeKey, makeOwnCertificate } from '../../../src/platform/acme/requests.ts'
import { createEgress } from '../../../src/platform/outbound/egress.ts'
import { makeCertificate } from '../../support/certificate.ts'

const folder = mkdtempSync(join(tmpdir(), 'lookalike-acme-'))
const files = makeCertificate(folder, 'authority')
const DOMAIN = 'search.shop.example'
const ERROR = 'urn:ietf:params:acme:error:'

/** Answers by path in place of those of an authority that gives a certificate. */
type Answers = Readonly<Record<string, () => Response>>

const problem = (status: number, type: string, detail: string, headers: Record<string, string> = {}) =>
  Response.json({ type: ERROR + type, detail }, { status, headers })

/** An authority that misbehaves: Pebble, which `test/slow` uses, only refuses what is wrong. */
describe.skipIf(!files)('an authority that gives no certificate', () => {
  let server: Bun.Server<undefined>
  let answers: Answers = {}
  let asked: string[] = []

  const usual = (): Answers => {
    const at = (path: string) => new URL(path, server.url).href
    const order = {
      status: 'ready',
      authorizations: [],
      finalize: at('/finalize'),
      certificate: at('/certificate'),
      identifiers: [],
    }
    return {
      '/dir': () =>
        Response.json({ newNonce: at('/nonce'), newAccount: at('/account'), newOrder: at('/orders') }),
      '/account': () => Response.json({ status: 'valid' }, { status: 201, headers: { location: at('/me') } }),
      '/orders': () => Response.json(order, { status: 201, headers: { location: at('/order') } }),
      '/order': () => Response.json({ ...order, status: asked.includes('/finalize') ? 'valid' : 'ready' }),
      '/finalize': () => Response.json({ ...order, status: 'valid' }),
      '/certificate': () =>
        new Response(makeOwnCertificate(DOMAIN, makeKey(), Date.now() - 1_000, Date.now() + 60_000)),
    }
  }

  beforeAll(() => {
    server = Bun.serve({
      hostname: '127.0.0.1',
      port: 0,
      tls: { cert: readFileSync(files?.cert ?? '', 'utf8'), key: readFileSync(files?.key ?? '', 'utf8') },
      fetch(request) {
        const { pathname } = new URL(request.url)
        asked.push(pathname)
        const answer = (answers[pathname] ?? usual()[pathname])?.() ?? new Response(null)
        if (!answer.headers.has('replay-nonce')) answer.headers.set('replay-nonce', String(asked.length))
        return answer
      },
    })
  })
  afterAll(async () => {
    await server.stop(true)
    rmSync(folder, { recursive: true, force: true })
  })

  function obtain(replaced: Answers, options: { ca?: string; isOffline?: boolean; stop?: AbortSignal } = {}) {
    answers = replaced
    asked = []
    const { isOffline = false, ca = readFileSync(files?.cert ?? '', 'utf8') } = options
    return obtainCertificate({
      directory: new URL('/dir', server.url).href,
      accountKey: makeKey(),
      domain: DOMAIN,
      answers: new Map(),
      egress: createEgress({ allowCidrs: parseCidrs(''), isOffline, ...(ca && { ca }) }),
      stop: options.stop ?? new AbortController().signal,
    })
  }

  const orderAt = (finalize: string) =>
    Response.json(
      { status: 'ready', authorizations: [], finalize },
      { status: 201, headers: { location: new URL('/order', server.url).href } },
    )

  const fail = (...words: Parameters<typeof obtain>): Promise<AcmeError> =>
    obtain(...words).then(
      () => {
        throw new Error('a certificate was obtained')
      },
      (error) => error,
    )

  test('names its reason, and when it may be asked again', async () => {
    const detail = 'too many certificates (5) already issued:\n\u001b[31mretry after 2 h.'
    const limited = await fail({
      '/orders': () => problem(429, 'rateLimited', detail, { 'retry-after': '7200' }),
    })
    expect(limited.message).toBe(
      '127.0.0.1 gives no more for now: too many certificates (5) already issued: [31mretry after 2 h',
    )
    expect(limited).toMatchObject({ name: 'AcmeError', kind: 'rateLimited', retryAfterMs: 7_200_000 })
    const refused = await fail({ '/orders': () => problem(403, 'rejectedIdentifier', 'Policy forbids it.') })
    expect(refused.message).toBe('127.0.0.1 refused: Policy forbids it')
  })

  test('is asked no second time while it is in trouble, or wants another nonce for ever', async () => {
    const broken = await fail({ '/orders': () => new Response('<h1>Bad gateway</h1>', { status: 502 }) })
    expect(broken.message).toBe('127.0.0.1 refused: it is in trouble itself (status 502)')
    expect(asked.filter((path) => path === '/orders')).toHaveLength(1)
    const nonces = await fail({ '/orders': () => problem(400, 'badNonce', 'again') })
    expect(nonces.message).toContain('again')
    expect(asked.filter((path) => path === '/orders').length).toBeLessThan(10)
  })

  test.each<[name: string, answers: () => Answers, message: RegExp]>([
    ['the certificate of another key', () => ({}), /sent a certificate that is not the one for search\.shop/],
    ['no certificate', () => ({ '/certificate': () => new Response('no') }), /does not answer as ACME says/],
    ['nothing in its directory', () => ({ '/dir': () => Response.json({}) }), /does not answer as ACME says/],
    [
      'more than anybody can want',
      () => ({ '/certificate': () => new Response('x'.repeat(600_000)) }),
      /too large/,
    ],
    [
      'an address without TLS',
      () => ({ '/orders': () => orderAt('http://127.0.0.1/finalize') }),
      /sent an address that is no https URL/,
    ],
    [
      'an address in a private network, to which only the directory may lead',
      () => ({ '/orders': () => orderAt(`https://localhost:${server.port}/finalize`) }),
      /localhost is not a public address/,
    ],
    [
      'an order that failed',
      () => ({ '/order': () => Response.json({ status: 'invalid', error: { detail: 'CAA forbids it' } }) }),
      /refused the order: CAA forbids it/,
    ],
    [
      'no proof that this service knows',
      () => ({
        '/orders': () =>
          Response.json(
            { status: 'pending', authorizations: [new URL('/proof', server.url).href] },
            { status: 201, headers: { location: new URL('/order', server.url).href } },
          ),
        '/proof': () => Response.json({ status: 'pending', challenges: [{ type: 'dns-01', token: 'a' }] }),
      }),
      /offers no proof by http-01/,
    ],
  ])('sends %s', async (_name, replaced, message) => {
    expect((await fail(replaced())).message).toMatch(message)
  })

  test('is not reached: unknown to us, or outside the networks of an install that is offline', async () => {
    expect((await fail({}, { ca: '' })).message).toMatch(
      /^The TLS connection to 127\.0\.0\.1 failed .*with ACME_CA$/,
    )
    expect((await fail({}, { isOffline: true })).message).toBe(
      'This install is offline; add the address of 127.0.0.1 to FETCH_ALLOW_CIDRS',
    )
  })

  test('is left alone once the service stops', async () => {
    const stop = new AbortController()
    const waiting = obtain(
      {
        '/order': () => {
          stop.abort()
          return Response.json({ status: 'processing' })
        },
      },
      { stop: stop.signal },
    )
    await expect(waiting).rejects.toThrow()
    expect(asked.filter((path) => path === '/order')).toHaveLength(1)
  })
})
