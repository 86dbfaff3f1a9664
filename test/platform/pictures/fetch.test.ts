import { afterAll, describe, expect, test } from 'bun:test'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { gzipSync } from 'node:zlib'
import { createServers, failureOf, localFetcher, ONE, PNG } from './servers.ts'

const servers = createServers()
afterAll(servers.stop)

const MIB = 1024 * 1024
const answerWith =
  (status: number, headers: Record<string, string | number> = {}, body: Uint8Array | string = '') =>
  (_: IncomingMessage, response: ServerResponse) =>
    void response.writeHead(status, headers).end(body)

/** Serves one answer and downloads it by name. */
const download = async (
  answer: (request: IncomingMessage, response: ServerResponse) => void,
  options: Parameters<typeof localFetcher>[0] = {},
) => {
  const port = await servers.http(answer)
  return localFetcher(options).fetch(`http://pictures.test:${port}/a.png`)
}

describe('a download that succeeds', () => {
  test('gives the bytes, whatever type and name the server claims', async () => {
    const bytes = await download(answerWith(200, { 'Content-Type': 'text/html' }, PNG))
    expect(Buffer.from(bytes).equals(PNG)).toBe(true)
  })

  test('asks for one plain picture: the name as Host, no encodings, no cookies, nothing kept open', async () => {
    const seen: IncomingMessage[] = []
    const port = await servers.http((request, response) => {
      seen.push(request)
      if (seen.length > 1) response.end(PNG)
      else response.writeHead(302, { Location: '/b.png?x=1#y', 'Set-Cookie': 'session=1; Path=/' }).end()
    })
    await localFetcher().fetch(`http://Pictures.test.:${port}/a%20b.png?size=1#part`)
    expect(seen.map(({ method, url }) => `${method} ${url}`)).toEqual([
      'GET /a%20b.png?size=1',
      'GET /b.png?x=1',
    ])
    for (const { headers } of seen) {
      expect(headers.host).toBe(`pictures.test:${port}`)
      expect(headers.connection).toBe('close')
      expect(headers).not.toContainAnyKeys(['cookie', 'accept-encoding', 'referer', 'authorization'])
    }
  })

  test('keeps a large picture whole that arrives in odd pieces', async () => {
    const picture = Buffer.alloc(700_001, 'abcdefghijklm')
    PNG.copy(picture)
    const bytes = await download((_, response) => {
      response.write(picture.subarray(0, 5))
      for (let at = 5; at < picture.length; at += 77_777) response.write(picture.subarray(at, at + 77_777))
      response.end()
    })
    expect(Buffer.from(bytes).equals(picture)).toBe(true)
  })

  test('may be exactly as large as the limit', async () => {
    const picture = Buffer.concat([PNG, Buffer.alloc(1000 - PNG.length)])
    expect((await download(answerWith(200, {}, picture), { limits: { bytesMax: 1000 } })).length).toBe(1000)
  })

  test('follows three redirects of each kind, and reads UTF-8 in them', async () => {
    const paths: string[] = []
    const bytes = await download((request, response) => {
      paths.push(request.url ?? '')
      const [status, target] =
        [
          [301, '/2'],
          [307, '//pictures.test:PORT/3'],
          [308, '/größe.png'],
        ][paths.length - 1] ?? []
      if (!status) return void response.end(PNG)
      const location = Buffer.from(String(target).replace('PORT', String(request.socket.localPort))).toString(
        'latin1',
      )
      response.writeHead(Number(status), { Location: location }).end()
    })
    expect(paths).toEqual(['/a.png', '/2', '/3', '/gr%C3%B6%C3%9Fe.png'])
    expect(bytes.length).toBe(PNG.length)
  })

  test('over TLS checks the certificate against the name and tells the name to the server', async () => {
    const { CERTIFICATE } = await import('./certificate.ts')
    const hosts: (string | undefined)[] = []
    const port = await servers.https((request, response) => {
      hosts.push(request.headers.host)
      response.end(PNG)
    })
    await localFetcher({ ca: CERTIFICATE }).fetch(`https://pictures.test:${port}/a.png`)
    expect(hosts).toEqual([`pictures.test:${port}`])
  })

  test('looks a name up once, so that no later answer can change the target', async () => {
    const port = await servers.http(answerWith(200, {}, PNG))
    let lookups = 0
    const lookup = async () => [++lookups === 1 ? '127.0.0.1' : '169.254.169.254']
    await localFetcher({ lookup }).fetch(`http://rebind.test:${port}/`)
    expect(lookups).toBe(1)
  })
})

describe('reason http_status', () => {
  test.each([204, 206, 300, 304, 400, 404, 410])('%i, tried once', async (status) => {
    let requests = 0
    const failure = await failureOf(
      download((request, response) => {
        requests += 1
        answerWith(status)(request, response)
      }),
    )
    expect(failure).toMatchObject({
      code: 'image_download_failed',
      reason: 'http_status',
      upstream_status: status,
    })
    expect(failure).toMatchObject({ url_host: 'pictures.test' })
    expect(requests).toBe(1)
  })

  test.each([429, 500, 503])('%i after two further tries', async (status) => {
    let requests = 0
    const failure = await failureOf(
      download((request, response) => {
        requests += 1
        answerWith(status)(request, response)
      }),
    )
    expect(failure).toMatchObject({ reason: 'http_status', upstream_status: status })
    expect(requests).toBe(3)
  })

  test('a passing failure is forgotten when a further try succeeds', async () => {
    let requests = 0
    const bytes = await download((_, response) => {
      requests += 1
      if (requests < 3) response.writeHead(503, { 'Retry-After': '0' }).end()
      else response.end(PNG)
    })
    expect(bytes.length).toBe(PNG.length)
  })

  test.each(['4', '86400', 'Sat, 21 Nov 2026 00:01:00 GMT'])(
    'no further try when asked to wait for %s',
    async (wait) => {
      let requests = 0
      const clock = { now: () => Date.UTC(2026, 10, 21), monotonic: () => 0 }
      const failed = download(
        (request, response) => {
          requests += 1
          answerWith(503, { 'Retry-After': wait })(request, response)
        },
        { clock },
      )
      expect(await failureOf(failed)).toMatchObject({ reason: 'http_status', upstream_status: 503 })
      expect(requests).toBe(1)
    },
  )

  test('the answer is not repeated to the client', async () => {
    const failure = await failureOf(download(answerWith(403, { 'X-Secret': 'canary' }, 'canary')))
    expect(JSON.stringify(failure)).not.toContain('canary')
  })

  test.each([{}, { Location: '' }, { Location: 'http://' }])('a redirect to nowhere: %j', async (headers) => {
    expect(await failureOf(download(answerWith(302, headers)))).toMatchObject({
      reason: 'http_status',
      upstream_status: 302,
    })
  })

  test('a change of protocol', async () => {
    const port = await servers.tcp((socket) => {
      socket.once('data', () =>
        socket.write('HTTP/1.1 101 Switching\r\nUpgrade: x\r\nConnection: Upgrade\r\n\r\n'),
      )
    })
    const failure = await failureOf(localFetcher().fetch(`http://127.0.0.1:${port}/`))
    expect(failure).toMatchObject({ reason: 'http_status', upstream_status: 101 })
  })
})

describe('reason too_many_redirects', () => {
  test('an endless chain is left after three', async () => {
    let requests = 0
    const failure = await failureOf(
      download((_, response) => {
        requests += 1
        response.writeHead(302, { Location: `/${requests}` }).end()
      }),
    )
    expect(failure).toMatchObject({ code: 'image_download_failed', reason: 'too_many_redirects' })
    expect(requests).toBe(4)
  })
})

describe('reason not_an_image', () => {
  test.each([
    ['HTML', '<!doctype html><title>no</title>'],
    ['SVG', '<svg xmlns="http://www.w3.org/2000/svg"></svg>'],
    ['nothing', ''],
    ['one byte', '\xff'],
  ])('%s named .jpg and declared as one', async (_, body) => {
    const failure = await failureOf(download(answerWith(200, { 'Content-Type': 'image/jpeg' }, body)))
    expect(failure).toMatchObject({ code: 'image_download_failed', reason: 'not_an_image' })
  })

  test('is found from the first bytes, before the rest arrives', async () => {
    const failure = await failureOf(download((_, response) => void response.write('<html>'.padEnd(100))))
    expect(failure).toMatchObject({ reason: 'not_an_image' })
  })

  test.each(['gzip', 'br', 'deflate', 'x-unknown'])(
    'a body encoded as %s, which nobody asked for',
    async (encoding) => {
      const bomb = gzipSync(Buffer.concat([PNG, Buffer.alloc(20 * MIB)]))
      const failure = await failureOf(download(answerWith(200, { 'Content-Encoding': encoding }, bomb)))
      expect(failure).toMatchObject({
        reason: 'not_an_image',
        message: expect.stringContaining('compressed'),
      })
    },
  )
})

describe('reason too_large', () => {
  test('a declared length beyond 10 MiB, before any of it arrives', async () => {
    const failure = await failureOf(
      download((_, response) => {
        response.writeHead(200, { 'Content-Length': 10 * MIB + 1 })
        response.flushHeaders()
      }),
    )
    expect(failure).toMatchObject({ code: 'image_download_failed', reason: 'too_large' })
  })

  test('an endless body, as soon as it passes the limit', async () => {
    let sent = 0
    const block = Buffer.alloc(64 * 1024)
    const failure = await failureOf(
      download(
        (_, response) => {
          const more = () => {
            while (!response.destroyed && response.write(block)) sent += block.length
          }
          response.write(PNG)
          response.on('drain', more)
          more()
        },
        { limits: { bytesMax: MIB } },
      ),
    )
    expect(failure).toMatchObject({ reason: 'too_large' })
    // What the buffers of both ends hold is all that passes beyond the limit.
    expect(sent).toBeLessThan(30 * MIB)
  })

  test('a body in more than 20,000 pieces, however few bytes they make', async () => {
    const port = await servers.tcp((socket) => {
      const block = '1\r\nx\r\n'.repeat(10_000)
      const more = () => {
        while (!socket.destroyed && socket.write(block));
      }
      socket.write(`HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n${PNG.length.toString(16)}\r\n`)
      socket.write(PNG)
      socket.write('\r\n')
      socket.on('drain', more)
      more()
    })
    const failure = await failureOf(localFetcher().fetch(`http://127.0.0.1:${port}/`))
    expect(failure).toMatchObject({ reason: 'too_large' })
  })
})

describe('reason timeout', () => {
  const limits = { totalMs: 150, connectMs: 150 }

  test('a server that accepts and says nothing', async () => {
    const port = await servers.tcp(() => {})
    const failure = await failureOf(localFetcher({ limits }).fetch(`http://127.0.0.1:${port}/`))
    expect(failure).toMatchObject({ code: 'image_download_failed', reason: 'timeout', url_host: '127.0.0.1' })
  })

  test.each([
    ['headers', 'HTTP/1.1 200 OK\r\n', 'X: y\r\n'],
    ['a body', `HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\n${PNG.toString('latin1')}`, 'x'],
    ['the first bytes', 'HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\n', '\xff'],
    ['early hints', '', 'HTTP/1.1 103 Early Hints\r\n\r\n'],
  ])('a server that drips %s', async (_, beginning, drop) => {
    const port = await servers.tcp((socket) => {
      socket.write(beginning, 'latin1')
      const timer = setInterval(() => socket.write(drop, 'latin1'), 20)
      socket.on('close', () => clearInterval(timer))
    })
    const failure = await failureOf(localFetcher({ limits }).fetch(`http://127.0.0.1:${port}/`))
    expect(failure).toMatchObject({ reason: 'timeout' })
  })

  test('a TLS handshake that never ends counts as connecting', async () => {
    const port = await servers.tcp(() => {})
    const slow = localFetcher({ limits: { connectMs: 100, totalMs: 60_000 } })
    expect(await failureOf(slow.fetch(`https://127.0.0.1:${port}/`))).toMatchObject({ reason: 'timeout' })
  })

  test('a name server that never answers counts as connecting', async () => {
    const lookup = () => new Promise<string[]>(() => {})
    const slow = localFetcher({ lookup, limits: { connectMs: 100, totalMs: 60_000 } })
    expect(await failureOf(slow.fetch('http://slow.test/'))).toMatchObject({ reason: 'timeout' })
  })

  test('the time is that of all hops and tries together', async () => {
    const failure = await failureOf(
      download((_, response) => void response.writeHead(503, { 'Retry-After': '3' }).end(), {
        limits: { totalMs: 600 },
      }),
    )
    // The further try would begin after the end, so the answer that was heard is told.
    expect(failure).toMatchObject({ reason: 'http_status', upstream_status: 503 })
  })
})

describe('reason tls', () => {
  test('a certificate that nobody trusts', async () => {
    const port = await servers.https(answerWith(200, {}, PNG))
    const failure = await failureOf(localFetcher().fetch(`https://pictures.test:${port}/`))
    expect(failure).toMatchObject({ code: 'image_download_failed', reason: 'tls', url_host: 'pictures.test' })
  })

  test.each(['other.test', '127.0.0.1'])('a trusted certificate of another name than %s', async (host) => {
    const { CERTIFICATE } = await import('./certificate.ts')
    const port = await servers.https(answerWith(200, {}, PNG))
    const failure = await failureOf(localFetcher({ ca: CERTIFICATE }).fetch(`https://${host}:${port}/`))
    expect(failure).toMatchObject({ reason: 'tls' })
  })

  test('a server that speaks plain HTTP', async () => {
    const port = await servers.http(answerWith(200, {}, PNG))
    expect(await failureOf(localFetcher().fetch(`https://pictures.test:${port}/`))).toMatchObject({
      reason: 'tls',
    })
  })
})

describe('reason connect', () => {
  test('nobody listens', async () => {
    const failure = await failureOf(localFetcher().fetch('http://127.0.0.1:1/'))
    expect(failure).toMatchObject({ code: 'image_download_failed', reason: 'connect' })
  })

  test.each([
    ['closes at once', ''],
    ['speaks something else', 'SSH-2.0-OpenSSH_9.6\r\n\r\n'],
    [
      'sends less than it declared',
      `HTTP/1.1 200 OK\r\nContent-Length: 999\r\n\r\n${PNG.toString('latin1')}`,
    ],
    ['ends in the middle of a chunk', 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nff\r\n\x89PNG'],
    ['declares two lengths', 'HTTP/1.1 200 OK\r\nContent-Length: 9\r\nContent-Length: 3\r\n\r\nabc'],
    ['sends 1 MiB of headers', `HTTP/1.1 200 OK\r\nX: ${'y'.repeat(MIB)}\r\n\r\n`],
  ])('a server that %s', async (_, words) => {
    const port = await servers.tcp((socket) => void socket.once('data', () => socket.end(words, 'latin1')))
    const failure = await failureOf(localFetcher().fetch(`http://127.0.0.1:${port}/`))
    expect(failure).toMatchObject({ code: 'image_download_failed', reason: 'connect' })
  })

  test('a longer body than declared is cut off where it was declared to end', async () => {
    const words = `HTTP/1.1 200 OK\r\nContent-Length: ${PNG.length}\r\n\r\n${PNG.toString('latin1')}more`
    const port = await servers.tcp((socket) => void socket.once('data', () => socket.end(words, 'latin1')))
    const bytes = await localFetcher().fetch(`http://127.0.0.1:${port}/`)
    expect(Buffer.from(bytes).equals(PNG)).toBe(true)
  })
})

describe('reason dns', () => {
  test('a name that the system cannot find', async () => {
    const { lookupHost } = await import('../../../src/platform/outbound/resolver.ts')
    const failure = await failureOf(localFetcher({ lookup: lookupHost }).fetch('http://nobody.invalid/'))
    expect(failure).toMatchObject({
      code: 'image_download_failed',
      reason: 'dns',
      url_host: 'nobody.invalid',
    })
  })
})

describe('several downloads', () => {
  test('from one host run four at a time, while other hosts go on', async () => {
    const asked: string[] = []
    const { promise: gate, resolve: open } = Promise.withResolvers<void>()
    const port = await servers.http(answerWith(200, {}, PNG))
    const fetcher = localFetcher({
      lookup: async (host) => {
        asked.push(host)
        await gate
        return ['127.0.0.1']
      },
    })
    const all = ['a', 'a', 'a', 'a', 'a', 'a', 'b'].map((name) =>
      fetcher.fetch(`http://${name}.test:${port}/`),
    )
    await new Promise(setImmediate)
    expect(asked).toEqual(['a.test', 'a.test', 'a.test', 'a.test', 'b.test'])
    open()
    expect((await Promise.all(all)).map((bytes) => bytes.length)).toEqual(Array(7).fill(PNG.length))
  })

  test('one that waits too long for its turn fails with timeout and is never begun', async () => {
    let lookups = 0
    const lookup = () => {
      lookups += 1
      return new Promise<string[]>(() => {})
    }
    const busy = localFetcher({ lookup, limits: { ofHost: ONE, totalMs: 100, connectMs: 60_000 } })
    const failures = await Promise.all([1, 2, 3, 4].map(() => failureOf(busy.fetch('http://slow.test/'))))
    expect(failures.map((failure) => failure)).toEqual(
      Array(4).fill(expect.objectContaining({ code: 'image_download_failed', reason: 'timeout' })),
    )
    expect(lookups).toBeLessThan(4)
  })
})
