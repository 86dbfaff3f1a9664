import { createWriteStream } from 'node:fs'
import type { Hits, Search, Write } from './judge.ts'
import { ORIGIN, type Shop } from './shop.ts'

/** A place where a store is asked: the proxy, or a node's own door. */
export interface Door {
  address: string
  /** The host that requests name; undefined for the address itself. */
  host?: string
  /** The node behind it; a proxy says it in each answer. */
  node?: string
  /** Names of nodes by their address, for answers that point to one. */
  names?: ReadonlyMap<string, string>
}

export interface LoadOptions {
  searchers?: number
  writers?: number
  widgets?: number
  /** Whether a member signs in now and then. */
  hasMembers?: boolean
  /** The pause after each answer. */
  searchPauseMs?: number
  writePauseMs?: number
  /** Writers go on with these revisions. */
  from?: Map<string, number>
  /** How long an attempt to write waits for its answer. */
  attemptMs?: number
  /** Takes each acknowledged write, in a line of JSON. */
  logFile?: string
}

/** Everything that asked a store while a drill ran. */
export interface Log {
  writes: Write[]
  searches: Search[]
  widget: { answered: number; failed: number }
  signIns: { answered: number; failed: number }
  /** Answers 421, after which the address in them was asked. */
  redirected: number
  /** Answers by status, other than 200. */
  others: Map<number, number>
}

export interface Load {
  log: Log
  stop(): Promise<Log>
}

/** Products whose price is so much are written; searches leave them out. */
const WRITTEN_PRICE = 95
const PRICES = 100
const ATTEMPT_MS = 30_000
const RETRY_MS = 50
const WRITE_GIVE_UP_MS = 90_000
const WIDGET_PAUSE_MS = 250
/** Sign-ins have ten a minute for an address. */
const SIGN_IN_PAUSE_MS = 8_000

/** How many searches differ from each other: by words in even turns, by a product in odd ones. */
const QUERIES = 16
export const kindOf = (query: number): 'product' | 'words' => (query % 2 === 0 ? 'words' : 'product')
const WORDS = [
  'red mug',
  'blue chair',
  'leather bag',
  'green lamp',
  'white shoe',
  'wooden clock',
  'scarf',
  'vase',
]

const filters = [{ field: 'price', operator: 'lt', value: WRITTEN_PRICE }]

/** The products that a lane of so many writes: each has one writer. */
export function writtenBy(lane: number, lanes: number, products: number): string[] {
  const names: string[] = []
  for (let n = 1; n <= products && names.length < 200; n++)
    if (n % PRICES >= WRITTEN_PRICE && n % lanes === lane) names.push(`sku-${n}`)
  return names
}

/** Searches, once each, in order: what all answers are compared with. */
export async function askReferences(shop: Shop, door: Door): Promise<Hits[]> {
  const hits: Hits[] = []
  for (let query = 0; query < QUERIES; query++) {
    for (let tries = 0; ; tries++) {
      const found = await searchOnce(shop, door, query)
      if (found.answer && !found.isStarting) {
        hits.push(found.answer)
        break
      }
      if (tries === 600) throw new Error(`Search ${query} is not answered: ${found.status}`)
      await Bun.sleep(100)
    }
  }
  return hits
}

/** Asks one search of a store. */
export async function searchOnce(shop: Shop, door: Door, query: number, note?: Log): Promise<Search> {
  const fields = { filters, limit: 10, analytics: false }
  const product = 1 + ((query * 37) % Math.min(shop.products, 90))
  const [path, body] =
    kindOf(query) === 'words'
      ? ['/v1/search/text', { query: WORDS[(query >> 1) % WORDS.length], ...fields }]
      : ['/v1/search/url', { product_id: `sku-${product}`, ...fields }]
  const sentAt = performance.now()
  const { status, body: answer, node } = await ask(shop, door, 'POST', path as string, body, note)
  const found = answer as {
    results?: { product_id: string; similarity_score: number }[]
    warnings?: string[]
  }
  return {
    ...{ query, sentAt, status, node, ms: performance.now() - sentAt },
    answer:
      status === 200
        ? (found.results ?? []).map(({ product_id, similarity_score }) => ({
            id: product_id,
            score: similarity_score,
          }))
        : undefined,
    isStarting: (found.warnings ?? []).some((text) => text.includes('has just started')),
  }
}

/** Starts lanes that ask a store until they are told to stop. Each lane takes the doors in turns. */
export function startLoad(shop: Shop, doors: readonly Door[], options: LoadOptions = {}): Load {
  const { searchers = 2, writers = 2, widgets = 1, hasMembers = true } = options
  const { searchPauseMs = 20, writePauseMs = 20, from = new Map<string, number>() } = options
  const told = new AbortController()
  const log: Log = {
    ...{ writes: [], searches: [], redirected: 0, others: new Map() },
    ...{ widget: { answered: 0, failed: 0 }, signIns: { answered: 0, failed: 0 } },
  }
  const journal =
    options.logFile === undefined ? undefined : createWriteStream(options.logFile, { flags: 'a' })
  const doorAt = (turn: number) => doors[turn % doors.length] as Door

  const searching = async (lane: number) => {
    for (let turn = lane; !told.signal.aborted; turn++) {
      log.searches.push(await searchOnce(shop, doorAt(turn), turn % QUERIES, log))
      await Bun.sleep(searchPauseMs)
    }
  }
  const writing = async (lane: number) => {
    const names = writtenBy(lane, writers, shop.products)
    if (names.length === 0) throw new Error(`A store of ${shop.products} products has none to write`)
    for (let turn = 0; !told.signal.aborted; turn++) {
      const product = names[turn % names.length] as string
      const revision = (from.get(product) ?? 0) + 1
      from.set(product, revision)
      const write = await writeOnce(
        shop,
        (tries) => doorAt(lane + turn + tries),
        { product, revision },
        { log, told: told.signal, attemptMs: options.attemptMs ?? ATTEMPT_MS },
      )
      log.writes.push(write)
      if (write.node !== undefined) journal?.write(`${JSON.stringify(write)}\n`)
      await Bun.sleep(writePauseMs)
    }
  }
  const widgeting = async (lane: number) => {
    for (let turn = lane; !told.signal.aborted; turn++) {
      const { status } = await ask(
        shop,
        doorAt(turn),
        'POST',
        '/v1/widget/search/text',
        { query: 'red mug' },
        log,
        {
          ...{ 'x-service-key': shop.widgetKey, origin: ORIGIN },
          // A visitor's address has a budget of its own, and these are many visitors.
          'x-forwarded-for': `10.1.${(turn >> 8) & 255}.${turn & 255}`,
        },
      )
      log.widget[status === 200 ? 'answered' : 'failed']++
      await Bun.sleep(WIDGET_PAUSE_MS)
    }
  }
  const signingIn = async () => {
    for (let turn = 0; !told.signal.aborted; turn++) {
      const { status } = await ask(shop, doorAt(turn), 'POST', '/oauth/login', shop.member, log, {})
      log.signIns[status === 200 ? 'answered' : 'failed']++
      for (let ms = 0; ms < SIGN_IN_PAUSE_MS && !told.signal.aborted; ms += 100) await Bun.sleep(100)
    }
  }
  const lanes = [
    ...Array.from({ length: searchers }, (_, lane) => searching(lane)),
    ...Array.from({ length: writers }, (_, lane) => writing(lane)),
    ...Array.from({ length: widgets }, (_, lane) => widgeting(lane)),
    ...(hasMembers ? [signingIn()] : []),
  ]
  return {
    log,
    async stop() {
      told.abort()
      await Promise.all(lanes)
      journal?.end()
      return log
    },
  }
}

/** Writes until the write is acknowledged, as a careful backend does. It gives up when it is told to, or after a minute and a half. */
async function writeOnce(
  shop: Shop,
  doorOf: (tries: number) => Door,
  { product, revision }: Pick<Write, 'product' | 'revision'>,
  { log, told, attemptMs }: { log: Log; told: AbortSignal; attemptMs: number },
): Promise<Write> {
  const sentAt = performance.now()
  for (let tries = 0; ; tries++) {
    const attemptAt = performance.now()
    const path = `/v1/products/${product}`
    const { status, node } = await ask(
      shop,
      doorOf(tries),
      'PATCH',
      path,
      { metadata: { revision } },
      log,
      undefined,
      attemptMs,
    )
    const endedAt = performance.now()
    if (status === 200) return { product, revision, sentAt, endedAt, ackSentAt: attemptAt, node }
    if (told.aborted || endedAt - sentAt > WRITE_GIVE_UP_MS)
      return { product, revision, sentAt, endedAt, ackSentAt: undefined, node: undefined }
    await Bun.sleep(RETRY_MS)
  }
}

interface Asked {
  status: number
  body: unknown
  node: string
}

/** Sends a request, and once more where a 421 points. Status 0 stands for no answer. */
async function ask(
  shop: Shop,
  door: Door,
  method: string,
  path: string,
  body: unknown,
  note?: Pick<Log, 'redirected' | 'others'>,
  headers: Readonly<Record<string, string>> = { 'x-api-key': shop.apiKey },
  attemptMs = ATTEMPT_MS,
): Promise<Asked> {
  const send = async (address: string, host: string | undefined) => {
    const response = await fetch(address + path, {
      ...{ method, body: JSON.stringify(body), signal: AbortSignal.timeout(attemptMs) },
      headers: { 'content-type': 'application/json', ...headers, ...(host !== undefined && { host }) },
    })
    return { response, text: await response.text() }
  }
  try {
    let { response, text } = await send(door.address, door.host)
    let node = response.headers.get('x-drill-node') ?? door.node ?? ''
    const elsewhere = response.status === 421 ? response.headers.get('x-lookalike-node') : null
    if (elsewhere && note && door.host !== undefined) {
      note.redirected++
      ;({ response, text } = await send(elsewhere.replace(/\/$/, ''), undefined))
      node = door.names?.get(elsewhere.replace(/\/$/, '')) ?? elsewhere
    }
    if (response.status !== 200) count(note, response.status)
    return { status: response.status, node, body: text.startsWith('{') ? JSON.parse(text) : {} }
  } catch {
    count(note, 0)
    return { status: 0, node: door.node ?? '', body: {} }
  }
}

const count = (note: Pick<Log, 'others'> | undefined, status: number) =>
  void note?.others.set(status, (note.others.get(status) ?? 0) + 1)

/** What a store says of the products that were written. */
export async function readFinals(
  shop: Shop,
  door: Door,
  writes: readonly Write[],
): Promise<Map<string, number>> {
  const finals = new Map<string, number>()
  for (const product of new Set(writes.map(({ product }) => product))) {
    const response = await fetch(`${door.address}/v1/products/${product}`, {
      headers: { 'x-api-key': shop.apiKey, ...(door.host !== undefined && { host: door.host }) },
    })
    if (!response.ok) throw new Error(`${product} answered ${response.status}: ${await response.text()}`)
    const { metadata } = (await response.json()) as { metadata?: { revision?: number } }
    finals.set(product, metadata?.revision ?? 0)
  }
  return finals
}

/** How many changes the feed of a store has of each product. */
export async function readChanges(shop: Shop, door: Door): Promise<Map<string, number>> {
  const counts = new Map<string, number>()
  for (let after = 0, more = true; more; ) {
    const response = await fetch(`${door.address}/v1/changes?after=${after}&limit=1000`, {
      headers: { 'x-api-key': shop.apiKey, ...(door.host !== undefined && { host: door.host }) },
    })
    if (!response.ok) throw new Error(`The feed answered ${response.status}: ${await response.text()}`)
    const page = (await response.json()) as {
      changes: { number: number; event: string; data: { product_id: string } }[]
      has_more: boolean
    }
    for (const { number, event, data } of page.changes) {
      after = number
      if (event === 'product.updated') counts.set(data.product_id, (counts.get(data.product_id) ?? 0) + 1)
    }
    more = page.has_more
  }
  return counts
}
