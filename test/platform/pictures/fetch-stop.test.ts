import { afterAll, expect, test } from 'bun:test'
import { createServers, failureOf, localFetcher, ONE, PNG } from './servers.ts'

const servers = createServers()
afterAll(servers.stop)

const never = () => new Promise<string[]>(() => {})
const STOPPED = {
  code: 'overloaded' as const,
  message: 'The service is stopping; repeat the request in a moment',
}

/** Servers that hang in every state a download can be in, each with a look whether it got there. */
const hanging: [string, (url: (port: number) => string) => Promise<[string, () => boolean]>][] = [
  [
    'a server that never answers',
    async (url) => {
      let connections = 0
      const port = await servers.tcp(() => void connections++)
      return [url(port), () => connections > 0]
    },
  ],
  [
    'a TLS handshake without an answer',
    async () => {
      let connections = 0
      const port = await servers.tcp(() => void connections++)
      return [`https://127.0.0.1:${port}/`, () => connections > 0]
    },
  ],
  [
    'a body that does not end',
    async (url) => {
      let isBegun = false
      const port = await servers.http((_, response) => {
        response.writeHead(200).write(PNG)
        isBegun = true
      })
      return [url(port), () => isBegun]
    },
  ],
  [
    'the wait before another try',
    async (url) => {
      let tries = 0
      const port = await servers.http((_, response) => {
        tries += 1
        response.writeHead(503, { 'retry-after': '3' }).end()
      })
      return [url(port), () => tries > 0]
    },
  ],
]

test.each(hanging)('%s: the stop of the service ends the download as overloaded', async (_, start) => {
  const [url, isUnderway] = await start((port) => `http://127.0.0.1:${port}/`)
  const stop = new AbortController()
  const failure = failureOf(localFetcher({ stop: stop.signal }).fetch(url))
  while (!isUnderway()) await new Promise(setImmediate)
  stop.abort()
  expect(await failure).toEqual(STOPPED)
})

test('a name that is looked up, and downloads that wait for their turn, end as well', async () => {
  const stop = new AbortController()
  let lookups = 0
  const lookup = () => {
    lookups += 1
    return never()
  }
  const fetcher = localFetcher({ lookup, stop: stop.signal, limits: { ofHost: ONE } })
  const failures = ['a', 'a', 'a', 'b'].map((host) => failureOf(fetcher.fetch(`http://${host}.test/`)))
  while (lookups < 2) await new Promise(setImmediate)
  stop.abort()
  expect(await Promise.all(failures)).toEqual(Array(4).fill(STOPPED))
  expect(lookups).toBe(2)
})

test('after the stop nothing is asked for', async () => {
  let connections = 0
  const port = await servers.tcp(() => void connections++)
  const fetcher = localFetcher({ stop: AbortSignal.abort() })
  expect(await failureOf(fetcher.fetch(`http://127.0.0.1:${port}/`))).toEqual(STOPPED)
  expect(connections).toBe(0)
})

test('the client is told when to come back', async () => {
  const error = await localFetcher({ stop: AbortSignal.abort() })
    .fetch('http://a.test/')
    .catch((thrown) => thrown)
  expect(error.extras.retryAfterSeconds).toBe(5)
})
