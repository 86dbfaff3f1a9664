import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { createLines } from '../../../../src/features/delivery/webhooks/lines.ts'

/** Nothing is kept for anybody. */
const shares = (max: number, perOwnerMax: number) => ({ max, perOwnerMax, firstMax: 0, extraMax: max })
const LIMITS = { deliveries: shares(8, 4), perEndpoint: 2, failing: shares(3, 2) }

/** Starts as many deliveries as may be, each line having endless ones. @returns endpoints in order, and their ends. */
function fill(lines: ReturnType<typeof createLines>, now = 0) {
  const started: { endpoint: string; leave: (hasFailed: boolean) => void; id: string }[] = []
  for (let line = lines.choose(now); line; line = lines.choose(now)) {
    const id = `${line.endpoint} ${started.length} ${now}`
    started.push({ endpoint: line.endpoint, leave: lines.start(line, id), id })
  }
  return started
}

const count = (started: { endpoint: string }[], prefix: string) =>
  started.filter(({ endpoint }) => endpoint.startsWith(prefix)).length

describe('whose delivery goes next', () => {
  test('stores take turns, whoever has more waiting', () => {
    const lines = createLines(LIMITS)
    for (let n = 0; n < 5; n++) lines.expect(`a${n}`, 'a', 0)
    for (let n = 0; n < 4; n++) lines.expect(`b${n}`, 'b', 1)
    const started = fill(lines, 1)
    expect(started.slice(0, 4).map(({ endpoint }) => endpoint[0])).toEqual(['a', 'b', 'a', 'b'])
    expect([count(started, 'a'), count(started, 'b')]).toEqual([4, 4])
  })

  test('an endpoint that works has so many at a time, any other has one', () => {
    const unknown = createLines(LIMITS)
    unknown.expect('a', 'a', 0)
    expect(fill(unknown)).toHaveLength(1)
    for (const hasFailed of [true, false]) {
      const own = createLines(LIMITS)
      own.expect('b', 'b', 0)
      const tried = own.choose(0)
      if (!tried) throw new Error('one is due')
      own.start(tried, 'x')(hasFailed)
      own.release(tried, 'x', 0)
      expect(fill(own)).toHaveLength(hasFailed ? 1 : LIMITS.perEndpoint)
    }
  })

  test('failing endpoints of one store leave places for its others', () => {
    const lines = createLines(LIMITS)
    for (const name of ['a', 'b', 'c', 'd']) {
      lines.expect(name, 'shop', 0)
      const line = lines.choose(0)
      if (!line) throw new Error('one is due')
      lines.start(line, 'x')(true)
      lines.release(line, 'x', 0)
      lines.postpone(line, 5)
    }
    expect(fill(lines, 5)).toHaveLength(2)
    lines.expect('works', 'shop', 5)
    expect(fill(lines, 5).map(({ endpoint }) => endpoint)).toEqual(['works'])
  })

  test('those that fail leave places for the others', () => {
    const lines = createLines(LIMITS)
    const names = ['a', 'b', 'c', 'd', 'e']
    for (const name of names) {
      lines.expect(name, name, 0)
      const line = lines.choose(0)
      if (!line) throw new Error('one is due')
      lines.start(line, 'x')(true)
      lines.release(line, 'x', 0)
      lines.postpone(line, 5)
    }
    expect(fill(lines, 5)).toHaveLength(3)
    lines.expect('works', 'works', 5)
    expect(fill(lines, 5).map(({ endpoint }) => endpoint)).toEqual(['works'])
  })

  test('receivers of four stores that all hang leave another store its first places', () => {
    for (const health of ['working', 'failing', 'unknown']) {
      const lines = createLines()
      for (const store of ['a', 'b', 'c', 'd']) {
        for (let n = 0; n < 20; n++) {
          lines.expect(`${store}${n}`, store, 0)
          const line = lines.choose(0)
          if (!line) throw new Error('one is due')
          if (health !== 'unknown') lines.start(line, 'x')(health === 'failing')
          lines.release(line, 'x', 0)
          lines.postpone(line, 5)
        }
      }
      fill(lines, 5)
      lines.expect('late', 'late', 5)
      expect(fill(lines, 5).map(({ endpoint }) => endpoint)).toEqual(['late'])
    }
  })

  test('nothing goes before its time, and the next time is known', () => {
    const lines = createLines(LIMITS)
    lines.expect('a', 'a', 10)
    lines.expect('b', 'b', 5)
    lines.expect('b', 'b', 7)
    expect([lines.choose(4), lines.findNextDue(4), lines.findNextDue(5)]).toEqual([undefined, 5, 10])
    const line = lines.choose(5)
    if (!line) throw new Error('one is due')
    lines.postpone(line, undefined)
    expect([lines.choose(9), lines.findNextDue(5)]).toEqual([undefined, 10])
  })

  test('any sequence: no limit is ever passed, and every place comes back', () => {
    const step = fc.record({
      endpoint: fc.nat(9),
      isEnd: fc.boolean(),
      hasFailed: fc.boolean(),
    })
    fc.assert(
      fc.property(fc.array(step, { maxLength: 80 }), (steps) => {
        const lines = createLines(LIMITS)
        const underway: { endpoint: string; end: (hasFailed: boolean) => void }[] = []
        let n = 0
        for (const { endpoint, isEnd, hasFailed } of steps) {
          if (isEnd) underway.shift()?.end(hasFailed)
          lines.expect(`e${endpoint}`, `s${endpoint % 3}`, 0)
          for (let line = lines.choose(0); line; line = lines.choose(0)) {
            const own = line
            const id = `${n++}`
            const leave = lines.start(own, id)
            const end = (failed: boolean) => {
              leave(failed)
              lines.release(own, id, 0)
            }
            underway.push({ endpoint: own.endpoint, end })
          }
          expect(underway.length).toBeLessThanOrEqual(LIMITS.deliveries.max)
          for (const same of Map.groupBy(underway, (one) => one.endpoint).values())
            expect(same.length).toBeLessThanOrEqual(LIMITS.perEndpoint)
          for (const same of Map.groupBy(underway, (one) => Number(one.endpoint.slice(1)) % 3).values())
            expect(same.length).toBeLessThanOrEqual(LIMITS.deliveries.perOwnerMax)
        }
        for (const { end } of underway.splice(0)) end(false)
        expect(fill(lines).length).toBeGreaterThanOrEqual(steps.length > 0 ? 1 : 0)
      }),
    )
  })
})
