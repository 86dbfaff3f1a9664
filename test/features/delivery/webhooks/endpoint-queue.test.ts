import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { createEndpointQueue } from '../../../../src/features/delivery/webhooks/endpoint-queue.ts'

/** Nothing is kept for anybody. */
const shares = (max: number, perOwnerMax: number) => ({ max, perOwnerMax, firstMax: 0, extraMax: max })
const LIMITS = { deliveries: shares(8, 4), perEndpoint: 2, failing: shares(3, 2) }

/** Starts as many deliveries as may be, each endpoint having endless ones. @returns endpoints in order, and their ends. */
function fill(queue: ReturnType<typeof createEndpointQueue>, now = 0) {
  const started: { endpoint: string; leave: (hasFailed: boolean) => void; id: string }[] = []
  for (let endpoint = queue.choose(now); endpoint; endpoint = queue.choose(now)) {
    const id = `${endpoint.id} ${started.length} ${now}`
    started.push({ endpoint: endpoint.id, leave: queue.start(endpoint, id), id })
  }
  return started
}

const count = (started: { endpoint: string }[], prefix: string) =>
  started.filter(({ endpoint }) => endpoint.startsWith(prefix)).length

describe('whose delivery goes next', () => {
  test('stores take turns, whoever has more waiting', () => {
    const queue = createEndpointQueue(LIMITS)
    for (let n = 0; n < 5; n++) queue.expect(`a${n}`, 'a', 0)
    for (let n = 0; n < 4; n++) queue.expect(`b${n}`, 'b', 1)
    const started = fill(queue, 1)
    expect(started.slice(0, 4).map(({ endpoint }) => endpoint[0])).toEqual(['a', 'b', 'a', 'b'])
    expect([count(started, 'a'), count(started, 'b')]).toEqual([4, 4])
  })

  test('an endpoint that works has so many at a time, any other has one', () => {
    const unknown = createEndpointQueue(LIMITS)
    unknown.expect('a', 'a', 0)
    expect(fill(unknown)).toHaveLength(1)
    for (const hasFailed of [true, false]) {
      const own = createEndpointQueue(LIMITS)
      own.expect('b', 'b', 0)
      const tried = own.choose(0)
      if (!tried) throw new Error('one is due')
      own.start(tried, 'x')(hasFailed)
      own.release(tried, 'x', 0)
      expect(fill(own)).toHaveLength(hasFailed ? 1 : LIMITS.perEndpoint)
    }
  })

  test('failing endpoints of one store leave places for its others', () => {
    const queue = createEndpointQueue(LIMITS)
    for (const name of ['a', 'b', 'c', 'd']) {
      queue.expect(name, 'shop', 0)
      const endpoint = queue.choose(0)
      if (!endpoint) throw new Error('one is due')
      queue.start(endpoint, 'x')(true)
      queue.release(endpoint, 'x', 0)
      queue.postpone(endpoint, 5)
    }
    expect(fill(queue, 5)).toHaveLength(2)
    queue.expect('works', 'shop', 5)
    expect(fill(queue, 5).map(({ endpoint }) => endpoint)).toEqual(['works'])
  })

  test('those that fail leave places for the others', () => {
    const queue = createEndpointQueue(LIMITS)
    const names = ['a', 'b', 'c', 'd', 'e']
    for (const name of names) {
      queue.expect(name, name, 0)
      const endpoint = queue.choose(0)
      if (!endpoint) throw new Error('one is due')
      queue.start(endpoint, 'x')(true)
      queue.release(endpoint, 'x', 0)
      queue.postpone(endpoint, 5)
    }
    expect(fill(queue, 5)).toHaveLength(3)
    queue.expect('works', 'works', 5)
    expect(fill(queue, 5).map(({ endpoint }) => endpoint)).toEqual(['works'])
  })

  test('receivers of four stores that all hang leave another store its first places', () => {
    for (const health of ['working', 'failing', 'unknown']) {
      const queue = createEndpointQueue()
      for (const store of ['a', 'b', 'c', 'd']) {
        for (let n = 0; n < 20; n++) {
          queue.expect(`${store}${n}`, store, 0)
          const endpoint = queue.choose(0)
          if (!endpoint) throw new Error('one is due')
          if (health !== 'unknown') queue.start(endpoint, 'x')(health === 'failing')
          queue.release(endpoint, 'x', 0)
          queue.postpone(endpoint, 5)
        }
      }
      fill(queue, 5)
      queue.expect('late', 'late', 5)
      expect(fill(queue, 5).map(({ endpoint }) => endpoint)).toEqual(['late'])
    }
  })

  test('nothing goes before its time, and the next time is known', () => {
    const queue = createEndpointQueue(LIMITS)
    queue.expect('a', 'a', 10)
    queue.expect('b', 'b', 5)
    queue.expect('b', 'b', 7)
    expect([queue.choose(4), queue.findNextDue(4), queue.findNextDue(5)]).toEqual([undefined, 5, 10])
    const endpoint = queue.choose(5)
    if (!endpoint) throw new Error('one is due')
    queue.postpone(endpoint, undefined)
    expect([queue.choose(9), queue.findNextDue(5)]).toEqual([undefined, 10])
  })

  test('any sequence: no limit is ever passed, and every place comes back', () => {
    const step = fc.record({
      endpoint: fc.nat(9),
      isEnd: fc.boolean(),
      hasFailed: fc.boolean(),
    })
    fc.assert(
      fc.property(fc.array(step, { maxLength: 80 }), (steps) => {
        const queue = createEndpointQueue(LIMITS)
        const underway: { endpoint: string; end: (hasFailed: boolean) => void }[] = []
        let n = 0
        for (const { endpoint, isEnd, hasFailed } of steps) {
          if (isEnd) underway.shift()?.end(hasFailed)
          queue.expect(`e${endpoint}`, `s${endpoint % 3}`, 0)
          for (let endpoint = queue.choose(0); endpoint; endpoint = queue.choose(0)) {
            const own = endpoint
            const id = `${n++}`
            const leave = queue.start(own, id)
            const end = (failed: boolean) => {
              leave(failed)
              queue.release(own, id, 0)
            }
            underway.push({ endpoint: own.id, end })
          }
          expect(underway.length).toBeLessThanOrEqual(LIMITS.deliveries.max)
          for (const same of Map.groupBy(underway, (one) => one.endpoint).values())
            expect(same.length).toBeLessThanOrEqual(LIMITS.perEndpoint)
          for (const same of Map.groupBy(underway, (one) => Number(one.endpoint.slice(1)) % 3).values())
            expect(same.length).toBeLessThanOrEqual(LIMITS.deliveries.perOwnerMax)
        }
        for (const { end } of underway.splice(0)) end(false)
        expect(fill(queue).length).toBeGreaterThanOrEqual(steps.length > 0 ? 1 : 0)
      }),
    )
  })
})
