import { expect, test } from 'bun:test'
import fc from 'fast-check'
import type { AnsweredSearch } from '../../../../src/features/discovery/search/history.ts'
import { readRepetitions } from '../../../robustness/random.ts'
import { testApp } from '../../../support/app.ts'
import { foreverKey } from '../../../support/keys.ts'

const DAY = 86_400_000
const HISTORY_DAYS = 5
const AXES = 4
const RUNS = readRepetitions('ANALYTICS_RUNS', 15)

const axis = (n: number) => Float32Array.from({ length: 8 }, (_, k) => (k === n ? 1 : 0))

const step = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.record({
      do: fc.constant('search' as const),
      kind: fc.nat(AXES - 1),
      hasPicture: fc.constantFrom(true, true, true, false),
      // No results at all, one that is not plausible, and plausible ones.
      topScore: fc.constantFrom(null, 0.25, 0.4999, 0.5, 0.9),
      isTracked: fc.constantFrom(true, true, true, false),
      offset: fc.constantFrom(0, 0, 0, 20),
      sessionId: fc.constantFrom('s1', 's2', null),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constant('wait' as const),
      ms: fc.constantFrom(1, 3_600_000, DAY / 2, 23 * 3_600_000, DAY, 2 * DAY),
    }),
  },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('tidy' as const) }) },
  {
    weight: 1,
    arbitrary: fc.record({ do: fc.constant('erase' as const), sessionId: fc.constantFrom('s1', 's2') }),
  },
)
type Step = typeof step extends fc.Arbitrary<infer Value> ? Value : never

interface Kept {
  id: string
  kind: number
  score: number
  sessionId: string | null
  createdAt: number
}

interface Drawn {
  computedAt: number
  searches: number
  clusters: { of: Kept[]; mean: number; last: number }[]
}

/** What a map must show, drawn from every search that is kept. */
function draw(kept: readonly Kept[], now: number): Drawn {
  const clusters = [...Map.groupBy(kept, ({ kind }) => kind).values()].map((of) => ({
    of,
    mean: Math.round((of.reduce((total, { score }) => total + score, 0) / of.length) * 1e4) / 1e4,
    last: Math.max(...of.map(({ createdAt }) => createdAt)),
  }))
  return { computedAt: now, searches: kept.length, clusters }
}

async function play(steps: readonly Step[]): Promise<void> {
  const app = testApp({}, { SEARCH_HISTORY_DAYS: String(HISTORY_DAYS) })
  try {
    const token = await foreverKey(app, await app.signIn('one'))
    const storeId = app.stores.requireBySlug('one').id
    let kept: Kept[] = []
    let drawn: Drawn | undefined
    const erased = new Set<string>()
    for (const now of [...steps, { do: 'tidy' as const }]) {
      if (now.do === 'wait') app.clock.advance(now.ms)
      if (now.do === 'search') {
        const { kind, hasPicture, topScore, isTracked, offset, sessionId } = now
        const search: AnsweredSearch = {
          id: app.ids.uuid(),
          storeId,
          type: 'upload',
          query: null,
          parameters: { offset },
          results: topScore === null ? [] : ['a'],
          topScore,
          durationMs: 1,
          isTracked,
          sessionId,
          searchSource: null,
          createdAt: app.clock.now(),
          ...(hasPicture && { vector: axis(kind) }),
        }
        app.history.add(search)
        const isUnmet = topScore === null || topScore < 0.5
        if (hasPicture && isTracked && isUnmet && offset === 0)
          kept.push({ id: search.id, kind, score: topScore ?? 0, sessionId, createdAt: search.createdAt })
      }
      if (now.do === 'erase') {
        await app.call('DELETE', `/v1/search/sessions/${now.sessionId}`, { token })
        for (const { id, sessionId } of kept) if (sessionId === now.sessionId) erased.add(id)
        kept = kept.filter(({ id }) => !erased.has(id))
      }
      if (now.do === 'tidy') {
        app.history.flush()
        await app.tidy()
        kept = kept.filter(({ createdAt }) => createdAt >= app.clock.now() - HISTORY_DAYS * DAY)
        const isDue = drawn ? app.clock.now() - drawn.computedAt >= 23 * 3_600_000 : kept.length > 0
        if (isDue) drawn = draw(kept, app.clock.now())
      }
      const { body } = await app.call('GET', '/v1/search/analytics/unmet', { token })
      if (!drawn) {
        expect(body).toEqual({ computed_at: null, searches: 0, clusters: [] })
        continue
      }
      expect([body['computed_at'], body['searches']]).toEqual([
        new Date(drawn.computedAt).toISOString(),
        drawn.searches,
      ])
      const clusters = body['clusters'] as {
        searches: number
        mean_best_score: number
        best_score: number
        example_search_ids: string[]
        last_searched_at: string
      }[]
      const sizes = clusters.map(({ searches }) => searches)
      expect(sizes).toEqual(sizes.toSorted((a, b) => b - a))
      const key = ({ searches, mean, last }: { searches: number; mean: number; last: number }) =>
        `${searches} ${mean} ${last}`
      const told = clusters.map((cluster) => ({
        searches: cluster.searches,
        mean: cluster.mean_best_score,
        last: Date.parse(cluster.last_searched_at),
      }))
      const expected = drawn.clusters.map(({ of, mean, last }) => ({ searches: of.length, mean, last }))
      expect(told.map(key).sort()).toEqual(expected.map(key).sort())
      for (const cluster of clusters) {
        expect(cluster.best_score).toBe(cluster.mean_best_score)
        const ids = cluster.example_search_ids
        const own = drawn.clusters.find(({ of }) => of.some(({ id }) => ids.includes(id)))
        expect(ids.length).toBeLessThanOrEqual(5)
        expect(ids.filter((id) => erased.has(id))).toEqual([])
        if (ids.length > 0) expect(own?.of.map(({ id }) => id)).toEqual(expect.arrayContaining(ids))
      }
    }
  } finally {
    await app.close()
  }
}

test('the map of unmet demand equals a naive count of every search, while days pass and sessions are erased', async () => {
  await fc.assert(fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 60 }), play), { numRuns: RUNS })
}, 120_000)
