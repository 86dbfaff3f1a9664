import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { PRODUCT_SORTS } from '../../src/features/catalogue/products/schema.ts'
import { type TestApp, testApp } from '../support/app.ts'
import { insertRow } from '../support/seed.ts'

/** A job whose items have all failed. */
const JOB = '01900000-0000-7000-8000-0000000000ff'

/** Every list with pages: its path, the field of its rows, and the field that identifies a row. */
const LISTS: [path: string, rows: string, id: string][] = [
  ...PRODUCT_SORTS.map((sort): [string, string, string] => [
    `/v1/products?sort=${sort}&`,
    'products',
    'product_id',
  ]),
  ['/v1/security/audit?action=password.changed&', 'events', 'id'],
  ['/v1/jobs?status=failed&', 'jobs', 'job_id'],
  [`/v1/jobs/${JOB}/errors?`, 'errors', 'index'],
  ['/v1/jobs/failures?', 'failures', 'product_id'],
  ['/v1/search/webhooks/hook/deliveries?', 'deliveries', 'id'],
  ['/v1/search/history?', 'searches', 'search_id'],
  ['/v1/store/rules?', 'rules', 'id'],
]

const ROWS = 12

let here: TestApp
let there: TestApp
let token: string

beforeEach(async () => {
  here = testApp()
  token = await here.signIn()
  const { sub: storeId } = JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString())
  here.db
    .prepare(`
      INSERT INTO webhooks (id, store_id, url, events, enabled, created_at, updated_at)
      VALUES ('hook', ?, 'https://hooks.test/', '["product.indexed"]', 1, 0, 0)`)
    .run(storeId)
  for (let n = 0; n < ROWS; n++) {
    // Several rows share a moment, a name and a price.
    if (n % 3 === 0) here.clock.advance(1_000)
    await here.call('POST', '/v1/products', {
      token,
      body: {
        product_id: `p${n}`,
        image_url: here.picture('same', 1),
        metadata: { name: `Mug ${n % 4}`, price: n % 5 },
      },
    })
    here.record({
      ...{ action: 'password.changed', actorKind: 'machine', storeId, userId: null, keyId: null },
      ...{ details: {}, clientInfo: null },
    })
  }
  addJobs(here, storeId)
  for (let n = 0; n < ROWS; n++) {
    insertRow(here, 'searches', {
      ...{ id: `01900000-0000-7000-8000-${String(n).padStart(12, '0')}`, store_id: storeId },
      ...{ type: n % 2 ? 'text' : 'url', parameters: '{}', results: '[]', duration_ms: 1, is_tracked: 1 },
      created_at: n >> 2,
    })
    insertRow(here, 'search_rules', {
      ...{
        id: `01900000-0000-7000-8000-${String(n).padStart(12, '0')}`,
        store_id: storeId,
        name: `Rule ${n}`,
      },
      ...{ active: 1, conditions: '{}', actions: '[{"action":"pin","product_id":"p1","position":1}]' },
      ...{ created_at: n >> 2, updated_at: 0 },
    })
  }
  there = movedTo(testApp())
})

/** Writes jobs that are over, some of them made at the same moment, and the items of one. */
function addJobs(app: TestApp, storeId: string): void {
  const job = app.db.prepare(`
    INSERT INTO jobs (job_id, store_id, type, status, arrival, created_at, finished_at) VALUES (?, ?, 'import', ?, ?, ?, 1)`)
  for (let n = 0; n < ROWS; n++) {
    job.run(`01900000-0000-7000-8000-${String(n).padStart(12, '0')}`, storeId, 'failed', n + 1, n >> 1)
  }
  const { lastInsertRowid } = job.run(JOB, storeId, 'completed', ROWS + 1, 0)
  const item = app.db.prepare(`
    INSERT INTO job_items (job, store_id, position, product_id, kind, state, error)
    VALUES (?, ?, ?, ?, 'put', 'failed', '{"error": "image_unreadable", "message": ""}')`)
  for (let n = 0; n < ROWS; n++) item.run(lastInsertRowid, storeId, n, `p${n}`)
}

afterEach(async () => {
  await here.close()
  await there.close()
})

/** Copies everything to another program, last rows first, so that each row has another number there. */
function movedTo(target: TestApp): TestApp {
  target.clock.advance(here.clock.now() - target.clock.now())
  const copy = (table: string, order: string, leaveOut: string[]) => {
    const rows = here.db.prepare(`SELECT * FROM ${table} ORDER BY ${order} DESC`).all() as Record<
      string,
      unknown
    >[]
    for (const row of rows) {
      for (const column of leaveOut) delete row[column]
      const columns = Object.keys(row)
      target.db
        .prepare(
          `INSERT OR IGNORE INTO ${table} (${columns.join()}) VALUES (${columns.map((name) => `@${name}`).join()})`,
        )
        .run(row)
    }
  }
  copy('stores', 'rowid', [])
  // What SQLite computes cannot be written.
  copy('products', 'id', ['id', 'sort_name', 'price_up', 'price_down', 'variant_group'])
  copy('audit_events', 'id', [])
  copy('searches', 'rowid', [])
  copy('search_rules', 'rowid', [])
  copy('jobs', 'id', ['id'])
  const items = here.db.prepare('SELECT * FROM job_items ORDER BY id DESC').all() as Record<string, unknown>[]
  const job = target.db.prepare('SELECT id FROM jobs WHERE job_id = ?').pluck().get(JOB)
  for (const { id: _, ...item } of items) {
    const columns = Object.keys(item)
    const names = columns.map((column) => `@${column}`)
    target.db
      .prepare(`INSERT INTO job_items (${columns.join()}) VALUES (${names.join()})`)
      .run({ ...item, job })
  }
  copy('webhooks', 'id', [])
  copy('deliveries', 'row', ['row'])
  // A product is read with its pictures.
  const pictures = here.db
    .prepare(
      'SELECT pictures.*, products.product_id AS name FROM pictures JOIN products ON products.id = product',
    )
    .all() as Record<string, unknown>[]
  for (const { id: _, name, ...picture } of pictures) {
    const { id: product } = target.db.prepare('SELECT id FROM products WHERE product_id = ?').get(name) as {
      id: number
    }
    const row: Record<string, unknown> = { ...picture, product }
    const columns = Object.keys(row)
    target.db
      .prepare(
        `INSERT INTO pictures (${columns.join()}) VALUES (${columns.map((column) => `@${column}`).join()})`,
      )
      .run(row)
  }
  return target
}

describe.each(LISTS)('GET %s', (path, rows, id) => {
  const page = async (app: TestApp, cursor: string | null) => {
    const answer = await app.call('GET', `${path}limit=5${cursor === null ? '' : `&cursor=${cursor}`}`, {
      token,
    })
    if (answer.status !== 200) throw new Error(JSON.stringify(answer.body))
    const found = answer.body[rows] as Record<string, unknown>[]
    return { ids: found.map((row) => row[id]), next: answer.body['next_cursor'] as string | null }
  }

  const pages = async (appOf: (page: number) => TestApp) => {
    const found: { ids: unknown[]; next: string | null }[] = []
    let cursor: string | null = null
    do {
      const next = await page(appOf(found.length), cursor)
      found.push(next)
      cursor = next.next
    } while (cursor !== null)
    return found
  }

  test('a client goes on when its store is moved to another database: cursors hold no row numbers', async () => {
    const stayed = await pages(() => here)
    expect(stayed.flatMap(({ ids }) => ids)).toHaveLength(ROWS)
    expect(await pages(() => there)).toEqual(stayed)
    expect(await pages((n) => (n % 2 === 0 ? here : there))).toEqual(stayed)
  })

  test('refuses the cursors of the other lists', async () => {
    for (const [other] of LISTS.filter(([other]) => other !== path)) {
      const { body } = await here.call('GET', `${other}limit=5`, { token })
      const answer = await here.call('GET', `${path}cursor=${body['next_cursor']}`, { token })
      expect([answer.status, answer.body['error']]).toEqual([400, 'invalid_cursor'])
    }
  })
})

test('these are all lists that take a cursor', () => {
  const routes = here.http.routes as unknown as {
    path: string
    hooks: { query?: { properties?: Record<string, unknown> } }
  }[]
  // Those below /v1/admin are about the node, whose database is moved as a whole.
  const paged = routes
    .filter(({ path, hooks }) => hooks.query?.properties?.['cursor'] && !path.startsWith('/v1/admin/'))
    .map(({ path }) => path)
  expect(new Set(paged)).toEqual(
    new Set(
      LISTS.map(
        ([path]) => path.replace(JOB, ':job_id').replace('/hook/', '/:id/').split('?', 1)[0] as string,
      ),
    ),
  )
})

test('the rows do have other numbers in the other database', () => {
  const numbers = ({ db }: TestApp) => db.prepare('SELECT id, product_id FROM products ORDER BY id').all()
  expect(numbers(there)).not.toEqual(numbers(here))
})
