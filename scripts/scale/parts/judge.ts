/** What the drills note while they run, and what it means. Nothing here talks to a node. */

/** One write of a product: it sets its revision, and is repeated with the same one until it is acknowledged. */
export interface Write {
  product: string
  revision: number
  /** When it was first sent and when its last answer came, in ms on one clock. */
  sentAt: number
  endedAt: number
  /** When the attempt that was acknowledged was sent; undefined if none was. */
  ackSentAt: number | undefined
  /** The node that acknowledged it. */
  node: string | undefined
}

/** What a finished store says of a product: its revision. */
export type Finals = ReadonlyMap<string, number>

export interface WriteVerdict {
  acknowledged: number
  /** Products whose last acknowledged revision is not there. */
  lost: string[]
  /** Products with a revision that nobody sent. */
  foreign: string[]
}

/**
 * Judges the end of a store by the log of its writes. A product has one writer, so its revisions ascend; one that was sent and
 * not acknowledged may be there or not.
 */
export function judgeWrites(writes: readonly Write[], finals: Finals): WriteVerdict {
  const last = new Map<string, { acknowledged: number; sent: number }>()
  let acknowledged = 0
  for (const { product, revision, node } of writes) {
    const known = last.get(product) ?? { acknowledged: 0, sent: 0 }
    known.sent = Math.max(known.sent, revision)
    if (node !== undefined) {
      acknowledged++
      known.acknowledged = Math.max(known.acknowledged, revision)
    }
    last.set(product, known)
  }
  const found = (product: string) => finals.get(product) ?? 0
  const products = [...last]
  return {
    acknowledged,
    lost: products.filter(([name, known]) => found(name) < known.acknowledged).map(([name]) => name),
    foreign: products.filter(([name, known]) => found(name) > known.sent).map(([name]) => name),
  }
}

/**
 * The acknowledged writes that a store has lost, by its change feed: each write is one change of its product, so it is missed there even if
 * the product was written again afterwards. Of a product that misses some, they are the last ones that this node acknowledged, or any node. A
 * write that was kept without being acknowledged can stand for one that was lost.
 *
 * @param changes how many changes the feed has of each product.
 */
export function findLost(
  writes: readonly Write[],
  changes: ReadonlyMap<string, number>,
  node?: string,
): Write[] {
  const acknowledged = Map.groupBy(
    writes.filter((write) => write.node !== undefined),
    ({ product }) => product,
  )
  return [...acknowledged].flatMap(([product, all]) => {
    const missing = all.length - (changes.get(product) ?? 0)
    if (missing <= 0) return []
    return all
      .filter((write) => node === undefined || write.node === node)
      .toSorted((a, b) => a.revision - b.revision)
      .slice(-missing)
  })
}

/** How old the oldest of these writes was when the node fell silent, in ms. */
export const ageOf = (lost: readonly Write[], silentAt: number): number =>
  lost.length === 0 ? 0 : silentAt - Math.min(...lost.map(({ endedAt }) => endedAt))

export interface Pause {
  /** The longest time between two acknowledged writes. */
  gapMs: number
  /** The longest time that one write took until it was acknowledged, repeats included. */
  waitMs: number
}

export function judgePause(writes: readonly Write[], drillEndedAt?: number): Pause {
  const done = writes.filter(({ node }) => node !== undefined).toSorted((a, b) => a.endedAt - b.endedAt)
  let gapMs = 0
  let waitMs = 0
  for (const [n, { sentAt, endedAt }] of done.entries()) {
    const before = done[n - 1]
    if (before) gapMs = Math.max(gapMs, endedAt - before.endedAt)
    waitMs = Math.max(waitMs, endedAt - sentAt)
  }
  const last = done.at(-1)
  if (drillEndedAt !== undefined && last) gapMs = Math.max(gapMs, drillEndedAt - last.endedAt)
  return { gapMs, waitMs }
}

/** Two answers that no single owner can have given. */
export interface Clash {
  /** The acknowledgement of the new owner, and the later one of the node that had lost the store. */
  first: Write
  second: Write
}

/**
 * Finds acknowledgements of two owners at once. While the store lies on one node at a time, the owners form a sequence, which the drill
 * knows; a write whose acknowledged attempt was sent when a later owner had already acknowledged one is a clash.
 *
 * @param turns the nodes in the order in which they owned the store; a node may come again. Undefined where ownership moves at most
 *   once and the first acknowledgement of each node says the order.
 */
export function findClashes(writes: readonly Write[], turns?: readonly string[]): Clash[] {
  const done = writes
    .filter(({ ackSentAt }) => ackSentAt !== undefined)
    .toSorted((a, b) => a.endedAt - b.endedAt)
  const order = turns ?? [...new Set(done.map(({ node }) => node as string))]
  const clashes: Clash[] = []
  let turn = 0
  /** The first acknowledgement of the present turn. */
  let opening: Write | undefined
  for (const write of done) {
    if (write.node === order[turn]) {
      opening ??= write
      continue
    }
    // The answer of an earlier owner may be slow, if it was asked before the next one began.
    if (
      opening &&
      (write.ackSentAt as number) < opening.endedAt &&
      order.slice(0, turn).includes(write.node as string)
    )
      continue
    const next = order.indexOf(write.node as string, turn + 1)
    if (next < 0) clashes.push({ first: opening ?? write, second: write })
    else {
      turn = next
      opening = write
    }
  }
  return clashes
}

/** A search during a drill. */
export interface Search {
  query: number
  /** Products with scores, best first; undefined where it was not answered. */
  answer: Hits | undefined
  sentAt: number
  ms: number
  status: number
  node: string
  /** The answer said that the node has just started and does not know all words yet. */
  isStarting: boolean
}

export type Hits = readonly { id: string; score: number }[]

/** Scores come from the same numbers on both nodes; words are embedded anew, in other company, and differ by rounding to 8 bits. */
const TOLERANCE = { product: 1e-6, words: 0.03 }
const COMMON_MIN = 0.8

export function isSame(answer: Hits, reference: Hits, kind: 'product' | 'words'): boolean {
  const scores = new Map(reference.map(({ id, score }) => [id, score]))
  const common = answer.filter(({ id }) => scores.has(id))
  const least = kind === 'product' ? 1 : COMMON_MIN
  return (
    common.length >= least * Math.max(answer.length, reference.length) &&
    common.every(({ id, score }) => Math.abs(score - (scores.get(id) as number)) <= TOLERANCE[kind])
  )
}

export interface SearchVerdict {
  answered: number
  failed: Search[]
  different: Search[]
  /** Answers of a node that says it has just started; they are judged by nothing else. */
  starting: number
}

export function judgeSearches(
  searches: readonly Search[],
  references: readonly Hits[],
  kindOf: (query: number) => 'product' | 'words',
): SearchVerdict {
  const verdict: SearchVerdict = { answered: 0, failed: [], different: [], starting: 0 }
  for (const search of searches) {
    if (!search.answer) {
      verdict.failed.push(search)
      continue
    }
    verdict.answered++
    if (search.isStarting) verdict.starting++
    else if (!isSame(search.answer, references[search.query] ?? [], kindOf(search.query)))
      verdict.different.push(search)
  }
  return verdict
}

/** An event that a receiver got: the change, which product and moment name, and the delivery that told it. */
export interface Told {
  product: string
  moment: string
  delivery: string
}

export interface EventVerdict {
  /** Acknowledged changes that nobody was told of. */
  lost: number
  /** Changes that were told by more than one delivery, which no receiver can recognise as one. */
  doubled: number
  /** Deliveries that came again under their own id, which receivers recognise. */
  repeated: number
}

/**
 * Compares the acknowledged changes of each product with those that were told. An event does not name the revision, so they are
 * counted; a change that was kept without being acknowledged counts for one that was lost, if there is such a one of that product.
 */
export function judgeEvents(writes: readonly Write[], told: readonly Told[]): EventVerdict {
  const changes = new Map<string, Map<string, string[]>>()
  for (const { product, moment, delivery } of told) {
    const moments = changes.get(product) ?? new Map<string, string[]>()
    changes.set(product, moments.set(moment, [...(moments.get(moment) ?? []), delivery]))
  }
  const acknowledged = new Map<string, number>()
  for (const { product, node } of writes)
    if (node !== undefined) acknowledged.set(product, (acknowledged.get(product) ?? 0) + 1)
  const all = [...changes.values()].flatMap((moments) => [...moments.values()])
  return {
    lost: [...acknowledged].reduce(
      (sum, [name, n]) => sum + Math.max(0, n - (changes.get(name)?.size ?? 0)),
      0,
    ),
    doubled: all.filter((ids) => new Set(ids).size > 1).length,
    repeated: all.reduce((sum, ids) => sum + ids.length - new Set(ids).size, 0),
  }
}

/** The longest time without an answer, in ms: between the ends of answers, and from the last one to the end of the drill. */
export function darkMs(searches: readonly Search[], endedAt?: number): number {
  const ends = searches.filter(({ answer }) => answer).map(({ sentAt, ms }) => sentAt + ms)
  ends.sort((a, b) => a - b)
  if (endedAt !== undefined && ends.length > 0) ends.push(endedAt)
  let dark = 0
  for (const [n, end] of ends.entries()) dark = Math.max(dark, end - (ends[n - 1] ?? end))
  return dark
}

/** In words: how many searches failed with which status, and when, in seconds after a moment. */
export function describeFailures(failed: readonly Search[], from: number): string {
  const groups = Map.groupBy(failed, ({ status }) => status)
  return [...groups]
    .map(([status, some]) => {
      const ends = some.map(({ sentAt, ms }) => (sentAt + ms - from) / 1_000)
      return `${some.length} × ${status === 0 ? 'no answer' : status} from ${Math.min(...ends).toFixed(1)} to ${Math.max(...ends).toFixed(1)} s`
    })
    .join(', ')
}
