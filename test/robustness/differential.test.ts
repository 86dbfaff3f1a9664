import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import type { Answer } from './published.ts'
import { readRepetitions } from './random.ts'
import { type ApiDocument, type WildRequest, wildRequests } from './requests.ts'
import { startProgram, type Target } from './targets.ts'
import { act, acts, newMemory, type Session, type ValidRequest } from './valid-use.ts'

/** An older executable. Without one there is nothing to compare, and the test is skipped. */
const BASELINE = process.env['LOOKALIKE_BASELINE']
const STEPS = readRepetitions('DIFFERENTIAL_STEPS', 5_000)
const SEED = readRepetitions('DIFFERENTIAL_SEED', 7)
const SHOWN_MAX = 60
/**
 * Among pictures that are equally near, another one may be the last of a list: so many differences between two runs of one
 * program were seen. Each is printed, to be judged.
 */
const OF_CHANCE = 0.003

/** A program may refuse for reasons of the moment; such an answer says nothing. */
const BUSY = [429, 503]
/** Headers that differ between two runs of one program. */
const OF_THE_MOMENT = /^(date|x-request-id|etag|retry-after|(x-)?ratelimit.*|server-timing|content-length)$/
/** Documents and the version, which tell of changes that are meant. */
const TELLS_OF_ITSELF = /^\/(docs|openapi\.json|version|errors)\b/

/** What stands for a token in a generated request, until it is sent to one of the programs. */
const TOKENS = ['token-of-the-machine', 'token-of-the-person', 'token-of-the-key'] as const

/** What one program answered to one request. */
interface Heard {
  request: string
  status: number
  transcript: string
}

/** Texts that two runs of one program write differently, and what takes their place. */
const OF_THE_RUN: readonly (readonly [RegExp, string])[] = [
  [/\b127\.0\.0\.1:\d+/g, '<host>'],
  [/\/pictures\/[\w-]+/g, '/pictures/<secret>'],
  [/\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b/g, '<id>'],
  [/\beyJ[\w-]+(\.[\w-]+\.[\w-]+)?/g, '<token>'],
  [/"vector":"[^"]*"/g, '"vector":<vector>'],
  [/\b[sp]k_live_[\w-]+/g, '<key>'],
  [/\b[0-9a-f]{16,}\b/g, '<hex>'],
  [/\d{4}-\d\d-\d\d(T[\d:.]+Z)?/g, '<time>'],
  [/\b1[7-9]\d{8}(?:\d{3})?\b/g, '<time>'],
  [
    /"(\w*(?:_ms|_seconds|_at|latency|took|expires_in|bytes|_sync|p50|p95|score|cosine|similarity|image|text|share))":\s?[\d.]+(?:e-\d+)?/g,
    '"$1":<number>',
  ],
  [/\b\d+ (?:second|minute|hour)s?/g, '<time>'],
  [/"retry_after":\d+/g, '"retry_after":<number>'],
  [/(?<=[^\w-])(?=[\w-]*[A-Z])(?=[\w-]*\d)[\w-]{20,}/g, '<secret>'],
]

/** Writes an answer such that two runs of one program write the same. */
function transcribe({ status, headers, text }: Answer, path: string): string {
  const kept = Object.entries(headers)
    .filter(([name]) => !OF_THE_MOMENT.test(name))
    .map(([name, value]) => `${name}: ${settle(value)}`)
    .sort()
  return [status, ...kept, TELLS_OF_ITSELF.test(path) ? '' : settle(orderResults(text))].join('\n')
}

const settle = (text: string): string =>
  OF_THE_RUN.reduce((settled, [pattern, put]) => settled.replace(pattern, put), text).replace(
    /-?\b\d+\.\d{3,}\b/g,
    '<fraction>',
  )

/** Sorts the hits of a search by their ids: pictures that are equally near come in any order. */
function orderResults(text: string): string {
  if (!text.startsWith('{"') || !text.includes('"results":[')) return text
  const body = JSON.parse(text)
  if (!Array.isArray(body.results)) return text
  return JSON.stringify({
    ...body,
    results: body.results.toSorted((a: { product_id?: string }, b: { product_id?: string }) =>
      String(a.product_id).localeCompare(String(b.product_id)),
    ),
  })
}

describe.skipIf(BASELINE === undefined)('the executable beside an older one', () => {
  /** The older one runs twice: what its two runs answer differently says nothing about the new one. */
  let targets: readonly Target[] = []

  beforeAll(async () => {
    const old = [String(BASELINE)]
    targets = [await startProgram(old), await startProgram(old), await startProgram()]
  }, 120_000)
  afterAll(() => Promise.all(targets.map((target) => target.remove())))

  test(`${STEPS} wild and valid requests are answered alike`, async () => {
    const [first] = targets
    if (!first) throw new Error('no program runs')
    const published = await first.send({ method: 'GET', url: '/openapi.json', headers: {} })
    const document = JSON.parse(published.text) as ApiDocument
    const clients = targets.map(createClient)
    const counts = { compared: 0, unsteady: 0 }
    const differing: string[] = []

    function compare([old, again, now]: readonly (Heard | undefined)[]): void {
      counts.compared++
      const statuses = new Set([old, again, now].map((heard) => heard?.status ?? 0))
      const isBusy = statuses.size > 1 && BUSY.some((status) => statuses.has(status))
      if (isBusy || old?.transcript !== again?.transcript) counts.unsteady++
      else if (old?.transcript !== now?.transcript) {
        differing.push(String(old?.request ?? now?.request))
        if (differing.length <= SHOWN_MAX) console.log(describeDifference(old, now))
      }
    }

    await fc.assert(
      fc.asyncProperty(
        fc.oneof(
          // Several workers install the demo, in any order.
          wildRequests(document, TOKENS)
            .filter(({ url }) => !url.includes('demo'))
            .map((wild) => ({ wild })),
          acts.filter(({ name }) => !name.includes('demo')).map((chosen) => ({ chosen })),
        ),
        async (step) => {
          const heard = await Promise.all(
            clients.map((client) =>
              'wild' in step ? client.send(step.wild) : client.use((session) => act(session, step.chosen)),
            ),
          )
          const longest = Math.max(...heard.map(({ length }) => length))
          for (let n = 0; n < longest; n++) compare(heard.map((each) => each[n]))
        },
      ),
      { numRuns: STEPS, seed: SEED },
    )

    console.log(
      `  ${counts.compared} requests compared, of ${counts.unsteady} the older one gave two answers; ${differing.length} differ`,
    )
    expect(counts.unsteady).toBeLessThan(counts.compared / 5)
    if (differing.length > OF_CHANCE * counts.compared) expect(differing).toEqual([])
  }, 7_200_000)
})

/** A client of one program. It remembers the ids that its own program made. */
function createClient(target: Target) {
  let heard: Heard[] = []
  const withTokens = (text: string): string =>
    TOKENS.reduce(
      (filled, token, n) =>
        filled.replaceAll(token, [target.tokens.machine, target.tokens.person, target.tokens.key][n] ?? ''),
      text,
    )

  async function send(request: Pick<WildRequest, 'method' | 'url' | 'headers' | 'body'>): Promise<Answer> {
    const headers = Object.entries(request.headers).map(([name, value]) => [name, withTokens(value)])
    const answer = await target.send({ ...request, headers: Object.fromEntries(headers) })
    target.letIn()
    heard.push({
      request: `${request.method} ${request.url}`,
      status: answer.status,
      transcript: transcribe(answer, request.url),
    })
    return answer
  }

  async function ask({ method, path, as, headers = {}, body }: ValidRequest) {
    const isRaw = body === undefined || body instanceof FormData || body instanceof URLSearchParams
    const written = new Response(isRaw ? (body ?? null) : JSON.stringify(body))
    const type = isRaw ? written.headers.get('content-type') : 'application/json'
    const answer = await send({
      method,
      url: path,
      headers: {
        ...(type && body !== undefined && { 'content-type': type }),
        ...(as && { authorization: `Bearer ${target.tokens[as]}` }),
        ...headers,
      },
      ...(body !== undefined && { body: new Uint8Array(await written.arrayBuffer()) }),
    })
    return { status: answer.status, body: /\bjson\b/.test(answer.type) ? JSON.parse(answer.text) : {} }
  }

  const session: Session = { ...target, memory: newMemory(), ask }
  /** @returns all that was heard meanwhile. */
  async function use(work: (session: Session) => Promise<unknown>): Promise<Heard[]> {
    heard = []
    await work(session)
    return heard
  }
  return { use, send: (wild: WildRequest) => use(() => send(wild)) }
}

/** Shows where two transcripts part. */
function describeDifference(old: Heard | undefined, now: Heard | undefined): string {
  const [before, after] = [old?.transcript ?? 'no request', now?.transcript ?? 'no request']
  let at = 0
  while (at < before.length && before[at] === after[at]) at++
  const around = (text: string) => text.slice(Math.max(0, at - 80), at + 160).replaceAll('\n', '⏎')
  return `  ${String(old?.request).slice(0, 300)}\n    old: …${around(before)}\n    now: …${around(after)}`
}
