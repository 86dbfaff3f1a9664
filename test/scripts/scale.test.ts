import { describe, expect, test } from 'bun:test'
import {
  ageOf,
  darkMs,
  findClashes,
  findLost,
  isSame,
  judgeEvents,
  judgePause,
  judgeSearches,
  judgeWrites,
  type Search,
  type Write,
} from '../../scripts/scale/parts/judge.ts'
import { openLink } from '../../scripts/scale/parts/link.ts'
import { kindOf, writtenBy } from '../../scripts/scale/parts/load.ts'
import { createRandom } from '../../scripts/scale/parts/random.ts'
import { atMost, conclude, none, tabulate, unmeasured } from '../../scripts/scale/parts/report.ts'
import { at, type Costs, fitLine, shareOf } from '../../scripts/scale/plan/costs.ts'
import {
  type Demand,
  emptySeconds,
  loadOf,
  type Prices,
  pack,
  priceOf,
  type StoreDemand,
  spread,
} from '../../scripts/scale/plan/model.ts'

let clock = 0
/** A write that took 10 ms; each begins where the one before ended. */
function write(
  product: string,
  revision: number,
  node: string | undefined,
  more: Partial<Write> = {},
): Write {
  const sentAt = clock
  clock += 10
  return {
    ...{ product, revision, node, sentAt, endedAt: clock },
    ackSentAt: node === undefined ? undefined : sentAt,
    ...more,
  }
}

describe('the log of writes', () => {
  test('loses what was acknowledged and is not there, and nothing else', () => {
    const writes = [
      ...[write('a', 1, 'A'), write('a', 2, 'A'), write('a', 3, undefined)],
      ...[write('b', 1, 'A'), write('b', 2, 'B'), write('c', 1, undefined)],
    ]
    const sound = new Map([
      ['a', 3],
      ['b', 2],
    ])
    expect(judgeWrites(writes, sound)).toEqual({ acknowledged: 4, lost: [], foreign: [] })
    expect(judgeWrites(writes, new Map([...sound, ['a', 2]])).lost).toEqual([])
    expect(judgeWrites(writes, new Map([...sound, ['b', 1]])).lost).toEqual(['b'])
    expect(judgeWrites(writes, new Map([['a', 3]])).lost).toEqual(['b'])
    expect(judgeWrites(writes, new Map([...sound, ['a', 4]])).foreign).toEqual(['a'])
  })

  test('loses what the feed misses, also if the product was written again afterwards', () => {
    const writes = [
      ...[write('a', 1, 'A'), write('a', 2, 'A'), write('a', 3, 'A'), write('a', 4, 'B')],
      ...[write('b', 1, 'A'), write('b', 2, undefined)],
    ]
    const end = (writes[2] as Write).endedAt + 5
    const lost = findLost(
      writes,
      new Map([
        ['a', 2],
        ['b', 1],
      ]),
      'A',
    )
    expect(lost.map(({ product, revision }) => [product, revision])).toEqual([
      ['a', 2],
      ['a', 3],
    ])
    expect(ageOf(lost, end)).toBe(15)
    expect(ageOf([], end)).toBe(0)
    expect(findLost(writes, new Map([['a', 4]]), 'A').map(({ product }) => product)).toEqual(['b'])
  })

  test('has the longest gap, and the longest wait with its repeats', () => {
    const writes = [
      write('a', 1, 'A', { sentAt: 0, endedAt: 10 }),
      write('b', 1, 'A', { sentAt: 5, endedAt: 20 }),
      write('b', 2, undefined, { sentAt: 21, endedAt: 9_000 }),
      write('a', 2, 'B', { sentAt: 11, endedAt: 3_020, ackSentAt: 3_000 }),
    ]
    expect(judgePause(writes)).toEqual({ gapMs: 3_000, waitMs: 3_009 })
    expect(judgePause(writes, 8_020).gapMs).toBe(5_000)
    expect(judgePause([])).toEqual({ gapMs: 0, waitMs: 0 })
  })
})

describe('two owners', () => {
  test('clash when the old one acknowledges what was asked after the new one did', () => {
    const [a, b] = [write('a', 1, 'A'), write('b', 1, 'B')]
    expect(findClashes([a, b])).toEqual([])
    const late = write('a', 2, 'A')
    expect(findClashes([a, b, late])).toEqual([{ first: b, second: late }])
  })

  test('do not clash when the old one was only slow to answer', () => {
    const slow = write('a', 2, 'A', { sentAt: 0, ackSentAt: 0, endedAt: 100 })
    const quick = write('b', 1, 'B', { sentAt: 40, ackSentAt: 40, endedAt: 60 })
    expect(findClashes([write('c', 1, 'A', { ackSentAt: 0, endedAt: 1 }), quick, slow])).toEqual([])
  })

  test('may each come again, in the order of the moves and in no other', () => {
    clock = 0
    const [a, b, again] = [write('a', 1, 'A'), write('a', 2, 'B'), write('a', 3, 'A')]
    expect(findClashes([a, b, again], ['A', 'B', 'A'])).toEqual([])
    expect(findClashes([a, b, again], ['A', 'B'])).toHaveLength(1)
    // A move whose target acknowledged nothing before the next one.
    expect(findClashes([a, again], ['A', 'B', 'A'])).toEqual([])
  })
})

describe('searches', () => {
  const hits = [
    { id: 'x', score: 0.9 },
    { id: 'y', score: 0.8 },
  ]
  const search = (answer: Search['answer'], more: Partial<Search> = {}): Search => ({
    ...{ query: 1, answer, sentAt: 0, ms: 1, status: answer ? 200 : 503, node: 'A', isStarting: false },
    ...more,
  })

  test('by a product answer the same to the last digit, by words nearly', () => {
    const near = hits.map(({ id, score }) => ({ id, score: score + 0.01 }))
    expect(isSame(hits, hits, 'product')).toBe(true)
    expect(isSame(near, hits, 'product')).toBe(false)
    expect(isSame(near, hits, 'words')).toBe(true)
    expect(isSame([], hits, 'words')).toBe(false)
    expect(isSame(hits.slice(1), hits, 'product')).toBe(false)
  })

  test('are failed, different, or of a node that has just started', () => {
    const searches = [...[search(hits), search(undefined), search([])], search([], { isStarting: true })]
    const { answered, failed, different, starting } = judgeSearches(searches, [[], hits], kindOf)
    expect([answered, failed.length, different.length, starting]).toEqual([3, 1, 1, 1])
  })

  test('are dark between two answers', () => {
    const ends = [0, 100, 5_100, 5_200].map((sentAt) => search(hits, { sentAt }))
    expect(darkMs([...ends, search(undefined, { sentAt: 3_000 })])).toBe(5_000)
    expect(darkMs([])).toBe(0)
    expect(darkMs(ends, 20_000)).toBe(14_799)
  })
})

test('events are lost, told twice, or told again under their id', () => {
  const writes = [write('a', 1, 'A'), write('a', 2, 'A'), write('b', 1, 'A'), write('c', 1, undefined)]
  const told = (product: string, moment: string, delivery: string) => ({ product, moment, delivery })
  const all = [told('a', '1', 'first'), told('a', '2', 'second'), told('b', '1', 'third')]
  expect(judgeEvents(writes, all)).toEqual({ lost: 0, doubled: 0, repeated: 0 })
  expect(judgeEvents(writes, all.slice(1))).toEqual({ lost: 1, doubled: 0, repeated: 0 })
  expect(judgeEvents(writes, [...all, told('a', '1', 'other')])).toEqual({ lost: 0, doubled: 1, repeated: 0 })
  expect(judgeEvents(writes, [...all, told('a', '1', 'first')])).toEqual({ lost: 0, doubled: 0, repeated: 1 })
})

test('each product has one writer, and searches leave it out', () => {
  const lanes = [0, 1, 2].map((lane) => writtenBy(lane, 3, 2_000))
  const all = lanes.flat()
  expect(all.length).toBeGreaterThan(50)
  expect(new Set(all).size).toBe(all.length)
  expect(all.every((name) => Number(name.slice(4)) % 100 >= 95)).toBe(true)
})

test('a seed gives the same moments again', () => {
  const draw = (seed: number) => {
    const random = createRandom(seed)
    return Array.from({ length: 20 }, () => random.below(1_000))
  }
  expect(draw(7)).toEqual(draw(7))
  expect(draw(7)).not.toEqual(draw(8))
  expect(draw(7).every((value) => value >= 0 && value < 1_000)).toBe(true)
})

test('a table says what was wanted, measured and missed; what was not measured is neither', () => {
  const rows = [
    atMost('pause', 1.5, 4, 's'),
    none('lost', 2, 'of 9'),
    unmeasured('clock', '≤ 30 s', 'no library'),
  ]
  expect(tabulate(rows).slice(1)).toEqual([
    ['pause', '≤ 4 s', '1.50 s', 'met'],
    ['lost', '0', '2 (of 9)', 'missed'],
    ['clock', '≤ 30 s', 'not measured: no library', ''],
  ])
})

test('the exit code is 1 if anything was missed', () => {
  const log = console.log
  console.log = () => {}
  try {
    expect(conclude('sound', [none('lost', 0)])).toBe(0)
    expect(conclude('not sound', [none('lost', 0), none('lost', 1)])).toBe(1)
  } finally {
    console.log = log
  }
})

test('a link passes bytes, drops them while it is cut, and passes those of new connections again', async () => {
  const server = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    fetch: async (request) => new Response(await request.text()),
  })
  using link = openLink(`http://127.0.0.1:${server.port}`)
  const ask = (signal?: AbortSignal) =>
    fetch(link.address, { method: 'POST', body: 'x'.repeat(300_000), ...(signal && { signal }) }).then(
      (answer) => answer.text(),
    )
  try {
    expect((await ask()).length).toBe(300_000)
    link.cut()
    // Nothing comes back, not even an end.
    await expect(ask(AbortSignal.timeout(100))).rejects.toThrow()
    link.mend()
    expect((await ask()).length).toBe(300_000)
  } finally {
    await server.stop(true)
  }
})

const COSTS: Costs = {
  measured: { date: '2026-01-02', machine: 'test', version: '0', load: 0 },
  memory: { node: 200, store: 1, picture: 0.1 },
  disk: { node: 10, store: 2, picture: 0.5 },
  idleCores: 1,
  thumbnailBytes: 0.5,
  wordsCpuMs: [
    { products: 100, value: 2 },
    { products: 1_100, value: 12 },
  ],
  productCpuMs: [{ products: 100, value: 1 }],
  answerBytes: 60,
  startSeconds: [{ products: 0, value: 1 }],
  move: { fixedSeconds: 2, productsASecond: 100 },
}
const STORE: StoreDemand = { products: 100, picturesEach: 1, searches: 60, wordsShare: 0.5, keptBytes: 8 }
const demandOf = (more: Partial<Demand> = {}): Demand => ({
  stores: Array.from({ length: 10 }, () => STORE),
  node: { memory: 400, disk: 10_000, cores: 100 },
  ...{ headroom: 0.25, mostStores: 100, hasStandbys: false, ...more },
})

describe('what a build costs', () => {
  test('lies on the line between two sizes, and on its end beyond the last', () => {
    expect([50, 100, 600, 2_100].map((products) => at(COSTS.wordsCpuMs, products))).toEqual([2, 2, 7, 22])
    expect(at(COSTS.productCpuMs, 9)).toBe(1)
    expect(() => at([], 1)).toThrow('Nothing was measured')
  })

  test('is told apart into a node, its stores and their pictures', () => {
    const points = [0, 1_000, 2_000].map((products) => ({ products, value: 210 + 0.1 * products }))
    expect(fitLine(points).slope).toBeCloseTo(0.1)
    const share = shareOf(points, { stores: 11, pictures: 1_000, value: 210 + 100 + 10 * 5 })
    expect(share.store).toBeCloseTo(5)
    expect(share.node).toBeCloseTo(205)
    expect(share.picture).toBeCloseTo(0.1)
  })
})

describe('a plan', () => {
  test('adds up what a store takes', () => {
    expect(loadOf(COSTS, STORE)).toEqual({ memory: 11, disk: 110, cores: 1.5 / 1_000, traffic: 60 })
  })

  test('fills nodes to their headroom and no further', () => {
    // 400 less a quarter less 200 of the node itself: nine stores of 11.
    const plan = pack(COSTS, demandOf())
    expect(plan.nodes.map(({ stores }) => stores.length)).toEqual([9, 1])
    expect(plan.bound).toBe('memory')
    expect(plan.tooLarge).toEqual([])
    expect(plan.nodes.every(({ memory }) => memory <= 100)).toBe(true)
  })

  test('holds no more stores on a node than it may', () => {
    const plan = pack(COSTS, demandOf({ mostStores: 4 }))
    expect(plan.nodes.map(({ stores }) => stores.length)).toEqual([4, 4, 2])
    expect(plan.bound).toBe('stores')
  })

  test('names stores that no node can hold', () => {
    const stores = [STORE, { ...STORE, products: 5_000 }]
    const plan = pack(COSTS, demandOf({ stores }))
    expect(plan.tooLarge).toEqual([1])
    expect(plan.nodes.map(({ stores }) => stores)).toEqual([[0]])
  })

  test('says where the stores of a dead node go, and which have nowhere to go', () => {
    const demand = demandOf()
    const plan = pack(COSTS, demand)
    // The other node has 200 without headroom, of which 11 are taken: room for all nine.
    expect(spread(COSTS, demand, plan, 0)).toEqual({ placed: 9, homeless: 0 })
    const alone = demandOf({ stores: demand.stores.slice(0, 9) })
    expect(spread(COSTS, alone, pack(COSTS, alone), 0)).toEqual({ placed: 0, homeless: 9 })
  })

  test('says how long it takes to empty a node, once a move was measured', () => {
    const demand = demandOf()
    const [node] = pack(COSTS, demand).nodes
    if (!node) throw new Error('no node')
    expect(emptySeconds(COSTS, demand, node)).toBe(9 * (2 + 1))
    expect(emptySeconds({ ...COSTS, move: null }, demand, node)).toBeUndefined()
  })

  test('counts standbys and what leaves the house', () => {
    const prices: Prices = {
      ...{ date: '2026-01-02', source: 'test', currency: 'EUR' },
      ...{ core: 1, memoryGib: 0, diskGib: 0, objectGib: 2 ** 30, trafficGib: 0 },
    }
    const bill = (hasStandbys: boolean) => {
      const demand = demandOf({ hasStandbys })
      return priceOf(prices, demand, pack(COSTS, demand))
    }
    expect(bill(false)).toEqual({ machines: 200, objects: 0, traffic: 0, total: 200 })
    expect(bill(true)).toEqual({ machines: 400, objects: 1_100, traffic: 0, total: 1_500 })
  })
})
