import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { recordBar } from './bars.ts'
import { findFaults } from './consistency.ts'
import { describeWaits } from './figures.ts'
import { createAnswerCheck } from './published.ts'
import { readRepetitions } from './random.ts'
import { type ApiDocument, type WildRequest, wildRequests } from './requests.ts'
import { type Figures, startInProcess, startProgram, type Target } from './targets.ts'
import { type Act, act, acts, newMemory, type Session, type ValidRequest } from './valid-use.ts'

const REQUESTS = readRepetitions('FUZZ_REQUESTS', 2_000)
const SEED = readRepetitions('FUZZ_SEED', 5)
/** Least share of the answers that must be successes: requests that are all refused test nothing but the refusals. */
const SUCCESSES = 0.4
const CREATIONS = 0.03
/** The model's processes refuse when they are busy; more than this would be another fault. */
const OVERLOADED = 0.02
const SLOW_MS = 10

type Step = { wild: WildRequest } | { act: Act }

const steps = (document: ApiDocument, { machine, person, key }: Target['tokens']): fc.Arbitrary<Step> =>
  fc.oneof(
    wildRequests(document, [machine, person, key]).map((wild) => ({ wild })),
    acts.map((chosen) => ({ act: chosen })),
  )

describe.each([
  ['in the process', startInProcess],
  ['in the program', startProgram],
] as const)('wild and valid requests %s', (part, start) => {
  let target: Target
  let document: ApiDocument
  let check: ReturnType<typeof createAnswerCheck>
  let session: Session
  /** Answers by status: to wild requests, and to valid ones. */
  const counts = { wild: new Map<number, number>(), valid: new Map<number, number>() }
  const aims = new Set<string>()
  /** Requests that took their time, in Unix ms: one of them may be what a bystander waited for. */
  const slow: { name: string; begin: number; end: number }[] = []

  beforeAll(async () => {
    target = await start()
    const { text } = await target.send({ method: 'GET', url: '/openapi.json', headers: {} })
    document = JSON.parse(text)
    check = createAnswerCheck(document)
    session = { ...target, memory: newMemory(), ask }
  }, 60_000)
  afterAll(() => target?.remove())

  /** Sends a request and counts its answer. @throws Error for an answer that should not be. */
  async function judged(kind: keyof typeof counts, request: WildRequest) {
    const begin = performance.timeOrigin + performance.now()
    const answer = await target.send(request)
    const end = performance.timeOrigin + performance.now()
    if (end - begin > SLOW_MS)
      slow.push({ name: `${request.method} ${request.url.slice(0, 80)}`, begin, end })
    target.letIn()
    counts[kind].set(answer.status, (counts[kind].get(answer.status) ?? 0) + 1)
    const fault = check(request, answer)
    if (fault !== undefined) throw new Error(`${fault} (${target.failures.at(-1) ?? 'nothing in the log'})`)
    return answer
  }

  async function ask({ method, path, as, headers = {}, body }: ValidRequest, ...expected: number[]) {
    const isRaw = body === undefined || body instanceof FormData || body instanceof URLSearchParams
    const written = new Response(isRaw ? (body ?? null) : JSON.stringify(body))
    const type = isRaw ? written.headers.get('content-type') : 'application/json'
    const request: WildRequest = {
      ...{ aim: 'valid use', method, url: path },
      headers: {
        ...(type && body !== undefined && { 'content-type': type }),
        ...(as && { authorization: `Bearer ${target.tokens[as]}` }),
        ...headers,
      },
      ...(body !== undefined && { body: new Uint8Array(await written.arrayBuffer()) }),
    }
    const { status, type: answered, text } = await judged('valid', request)
    if (![...expected, 503].includes(status)) {
      throw new Error(`${method} ${path} answered ${status} instead of ${expected.join(' or ')}: ${text}`)
    }
    return { status, body: /\bjson\b/.test(answered) ? JSON.parse(text) : {} }
  }

  const total = (fits: (status: number) => boolean): number =>
    [...counts.wild, ...counts.valid].reduce((sum, [status, n]) => sum + (fits(status) ? n : 0), 0)

  /** What was under way while a bystander waited longest. */
  function culprit({ waits }: Figures): string {
    if (!waits) return ''
    const { begin, end } = waits.longestAt
    const overlap = (other: { begin: number; end: number }) =>
      Math.min(end, other.end) - Math.max(begin, other.begin)
    const [worst] = slow.toSorted((a, b) => overlap(b) - overlap(a))
    return worst && overlap(worst) > 0 ? `, the longest during ${worst.name}` : ''
  }

  test(`${REQUESTS} steps: no failure of ours, known errors only, answers as published, many successes`, async () => {
    let run = 0
    const outcome = await fc.check(
      fc.asyncProperty(steps(document, target.tokens), async (step) => {
        run++
        if ('act' in step) return act(session, step.act)
        aims.add(step.wild.aim)
        await judged('wild', step.wild)
      }),
      { numRuns: REQUESTS, seed: SEED },
    )
    const figures = await target.figures()
    const all = total(() => true)
    const share = (fits: (status: number) => boolean) => total(fits) / all
    const successes = share((status) => status < 400)
    const isMet = !outcome.failed && target.failures.length === 0 && successes >= SUCCESSES
    const measured = `${sharesInWords(share)}; ${figuresInWords(figures, all)}${culprit(figures)}`
    console.log(`  ${part}: ${all} requests; ${measured}`)
    recordBar({
      bar: 27,
      part,
      on: part === 'in the program' ? 'program' : 'process',
      n: all,
      measured,
      isMet,
    })

    if (outcome.failed) throw new Error(`${outcome.errorInstance}\n${fc.defaultReportMessage(outcome)}`)
    expect(run).toBe(REQUESTS)
    expect(all).toBeGreaterThanOrEqual(REQUESTS)
    expect(target.failures).toEqual([])
    // The requests are worth something: the operations were aimed at (all of them, where there were enough), and many worked.
    const operations = Object.values(document.paths).flatMap((methods) => Object.keys(methods)).length
    const wild = [...counts.wild.values()].reduce((sum, n) => sum + n, 0)
    const likely = operations * (1 - Math.exp(-wild / operations / 2))
    expect(aims.size).toBeGreaterThanOrEqual(Math.floor(likely))
    expect(successes).toBeGreaterThanOrEqual(SUCCESSES)
    expect(share((status) => status === 201)).toBeGreaterThanOrEqual(CREATIONS)
    expect(share((status) => status === 503)).toBeLessThanOrEqual(OVERLOADED)
    expect(figures.waits?.failed ?? 0).toBe(0)
  }, 7_200_000)

  test('after them every product can be read, and the program still works', async () => {
    const ids: string[] = []
    for (let cursor: unknown = ''; cursor !== null; ) {
      const path = `/v1/products?limit=100${cursor ? `&cursor=${cursor}` : ''}`
      const { body } = await ask({ method: 'GET', path, as: 'machine' }, 200)
      ids.push(...(body['products'] as { product_id: string }[]).map(({ product_id }) => product_id))
      cursor = body['next_cursor']
    }
    const stored = target.db.prepare<[], { id: string }>('SELECT product_id AS id FROM products').all()
    expect(ids.toSorted()).toEqual(stored.map(({ id }) => id).toSorted())
    expect(ids).toEqual(expect.arrayContaining([...session.memory.products]))
    for (const id of ids) {
      const path = `/v1/products/${encodeURIComponent(id)}`
      expect((await ask({ method: 'GET', path, as: 'machine' }, 200)).body['product_id']).toBe(id)
    }
    const product = { product_id: 'last', image_url: target.pictureUrl(5) }
    await ask({ method: 'POST', path: '/v1/products', as: 'machine', body: product }, 201)
    const query = { image_url: target.pictureUrl(5), category_boost: 0, limit: 100 }
    const { body } = await ask({ method: 'POST', path: '/v1/search/url', as: 'machine', body: query }, 200)
    expect((body['results'] as { product_id: string }[]).map(({ product_id }) => product_id)).toContain(
      'last',
    )
  }, 300_000)

  test('it ends well, and leaves a sound database', async () => {
    expect(await target.stop()).toEqual([])
    expect(findFaults(target.db, target.picturesDir)).toEqual([])
    expect(target.failures).toEqual([])
  }, 60_000)
})

test('no request left anything on the prototypes that all objects share', () => {
  for (const prototype of [Object.prototype, Array.prototype, String.prototype, Function.prototype]) {
    expect(Object.keys(prototype)).toEqual([])
  }
})

function sharesInWords(share: (fits: (status: number) => boolean) => number): string {
  const percent = (fits: (status: number) => boolean) => `${(100 * share(fits)).toFixed(1)} %`
  const classes = [2, 3, 4, 5].map(
    (first) => `${first}xx ${percent((status) => Math.floor(status / 100) === first)}`,
  )
  return `${classes.join(', ')} (200 ${percent((status) => status === 200)}, 201 ${percent((status) => status === 201)})`
}

function figuresInWords({ cpuMs, childrenCpuMs, waits }: Figures, requests: number): string {
  const each = (ms: number) => (ms / requests).toFixed(2)
  const model = childrenCpuMs > 0 ? ` and ${each(childrenCpuMs)} ms of the model's processes` : ''
  return `CPU a request ${each(cpuMs)} ms${model}${waits ? `; ${describeWaits(waits)}` : ''}`
}
