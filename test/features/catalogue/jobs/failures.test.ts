import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { strToU8 } from 'fflate'
import { BASE_URL, form, pictureBytes, type TestApp, testApp } from '../../../support/app.ts'
import { memoryDatabase } from '../../../support/database.ts'
import { addPerson, getToken, refusal } from '../../../support/people.ts'
import { deleteRows, insertRow, readColumn } from '../../../support/seed.ts'
import { statementLog } from '../../../support/statements.ts'
import { openStore } from '../../../support/storage.ts'
import { readJob, startBulk, waitForJob } from './jobs.ts'

let app: TestApp
let token: string
let storeId: string
let log: ReturnType<typeof statementLog>

beforeEach(async () => {
  const db = memoryDatabase()
  log = statementLog(db)
  app = testApp({ db })
  ;({ token, storeId } = await openStore(app, 'enterprise'))
})
afterEach(() => app.close())

/** A picture that is not there. */
const gone = (id: string) => ({ product_id: id, image_url: `https://img.test/gone/${id}.jpg` })
const good = (id: string) => ({ product_id: id, image_url: app.picture(id, 1) })

async function finishBulk(products: unknown[]): Promise<string> {
  const id = await startBulk(app, token, products)
  await waitForJob(app, storeId, token, id)
  return id
}

interface Failure {
  product_id: string
  job_id: string
  index: number
  error: string
  retryable: boolean
}
const list = async (query = '', as = token) => {
  const { body } = await app.call('GET', `/v1/jobs/failures${query}`, { token: as })
  return body as unknown as { failures: Failure[]; count: number; next_cursor: string | null }
}
const failing = async () =>
  (await list('?limit=100')).failures.map(({ product_id, job_id, index }) => [product_id, job_id, index])
const retry = (id: string, body?: unknown) =>
  app.call('POST', `/v1/jobs/${id}/retry`, { token, ...(body !== undefined && { body }) })

describe('GET /v1/jobs/failures', () => {
  test('lists the last failure of each product, in the order of the ids', async () => {
    const first = await finishBulk([gone('b'), good('ok'), gone('a')])
    expect(await failing()).toEqual([
      ['a', first, 2],
      ['b', first, 0],
    ])
    const second = await finishBulk([good('x'), gone('b')])
    expect(await failing()).toEqual([
      ['a', first, 2],
      ['b', second, 1],
    ])
    const { failures } = await list()
    expect(failures[0]).toMatchObject({
      ...{ error: 'image_download_failed', retryable: true },
      job_created_at: '2030-01-01T00:00:00.000Z',
    })
  })

  test('a product that was written since is left out, by whatever way, and so is a deleted one', async () => {
    await finishBulk([good('b'), good('e')])
    await finishBulk([gone('a'), gone('b'), gone('c'), gone('d'), gone('e')])
    await app.call('POST', '/v1/products', { token, body: good('a') })
    // It is like that already.
    expect((await app.call('POST', '/v1/products', { token, body: good('b') })).body['message']).toBe(
      'unchanged',
    )
    await finishBulk([good('c')])
    await app.call('DELETE', '/v1/products/e', { token })
    expect((await failing()).map(([id]) => id)).toEqual(['d'])
  })

  test('items that were wrong from the start count, where they name a product', async () => {
    const id = await finishBulk([{ product_id: 'w' }, { image_url: 'x' }, good('ok')])
    expect(await failing()).toEqual([['w', id, 0]])
    expect((await list()).failures[0]).toMatchObject({ error: 'validation_error', retryable: false })
  })

  test('a job that is still being written is nobody’s', async () => {
    const id = await finishBulk([gone('a')])
    insertRow(app, 'jobs', {
      ...{ id: 900, job_id: app.ids.uuid(), store_id: storeId, type: 'import', status: 'preparing' },
      created_at: 0,
    })
    for (const [position, product_id] of ['a', 'b'].entries())
      insertRow(app, 'job_items', {
        ...{ job: 900, store_id: storeId, position, product_id, kind: 'put', state: 'failed' },
        error: '{"error":"validation_error","message":"x"}',
      })
    expect(await failing()).toEqual([['a', id, 0]])
  })

  test('pages', async () => {
    await finishBulk(['a', 'b', 'c', 'd', 'e'].map(gone))
    const first = await list('?limit=2')
    const second = await list(`?limit=2&cursor=${first.next_cursor}`)
    const third = await list(`?limit=2&cursor=${second.next_cursor}`)
    const ids = [first, second, third].map(({ failures }) => failures.map((one) => one.product_id))
    expect(ids).toEqual([['a', 'b'], ['c', 'd'], ['e']])
    expect(third.next_cursor).toBeNull()
    const wrong = await app.call('GET', '/v1/jobs/failures?cursor=x', { token })
    expect(refusal(wrong)).toEqual([400, 'invalid_cursor'])
    expect((await app.call('GET', '/v1/jobs/failures?limit=101', { token })).status).toBe(422)
  })

  test('another store sees its own', async () => {
    await finishBulk([gone('a')])
    const other = await openStore(app, 'enterprise', 'other')
    expect(await list('', other.token)).toEqual({ failures: [], count: 0, next_cursor: null })
  })

  test('a page costs the same, however many items failed', async () => {
    const count = async () => {
      const statements = await log.during(() => list('?limit=3'))
      return statements.filter((sql) => sql.includes('job_items_open_failures')).length
    }
    await finishBulk(['a', 'b', 'c', 'd', 'e'].map(gone))
    const few = await count()
    for (let n = 0; n < 5; n++) await finishBulk(['a', 'b', 'c', 'd', 'e', `f${n}`].map(gone))
    expect(await count()).toBe(few)
    const plan = (sql: string) => app.db.prepare<[], { detail: string }>(`EXPLAIN QUERY PLAN ${sql}`).all()
    const statements = (await log.during(() => list())).filter((sql) => sql.includes('open_failures'))
    for (const sql of new Set(statements)) {
      const details = plan(sql.replaceAll('?', "'x'").replaceAll(/@\w+/g, "'x'")).map(({ detail }) => detail)
      expect(details.join('\n')).not.toMatch(/SCAN|TEMP B-TREE/)
    }
  })
})

describe('retrying chosen items', () => {
  test('tries those alone that are named', async () => {
    const id = await finishBulk(['a', 'b', 'c'].map(gone))
    for (const name of ['a', 'b', 'c']) app.web.set(gone(name).image_url, pictureBytes(1))
    const { status, body } = await retry(id, { indexes: [2, 0, 2, 77] })
    expect([status, body['status'], body['failed']]).toEqual([200, 'processing', 1])
    expect(await waitForJob(app, storeId, token, id)).toMatchObject({
      ...{ status: 'completed', succeeded: 2, failed: 1 },
      errors: [{ index: 1, product_id: 'b' }],
    })
    expect((await failing()).map(([name]) => name)).toEqual(['b'])
  })

  test('items that cannot be tried again are left alone', async () => {
    const id = await finishBulk([{ product_id: 'w' }, gone('a'), good('ok')])
    expect(refusal(await retry(id, { indexes: [0, 2, 50] }))).toEqual([409, 'conflict'])
    expect((await readJob(app, token, id))['status']).toBe('completed')
  })

  test('a wrong list is refused, and no list means all', async () => {
    const id = await finishBulk([gone('a'), gone('b')])
    for (const indexes of [[], [-1], ['1'], [1.5], Array.from({ length: 1_001 }, (_, n) => n), 7])
      expect((await retry(id, { indexes })).status).toBe(422)
    expect((await retry(id)).body['failed']).toBe(0)
  })

  test('the job of another store is not found', async () => {
    const id = await finishBulk([gone('a')])
    const other = await openStore(app, 'enterprise', 'other')
    const answer = await app.call('POST', `/v1/jobs/${id}/retry`, {
      ...{ token: other.token, body: { indexes: [0] } },
    })
    expect(refusal(answer)).toEqual([404, 'not_found'])
  })
})

test('a failure names the address of its picture, but neither a picture nor what is too long to be one', async () => {
  const urls = ['https://img.test/gone.jpg', `https://img.test/${'x'.repeat(60_000)}`, 'data:x', 'DATA:x']
  const id = await finishBulk(urls.map((image_url, n) => ({ product_id: `p${n}`, image_url })))
  for (const path of [`/v1/jobs/${id}/errors`, '/v1/jobs/failures']) {
    const { body } = await app.call('GET', path, { token })
    const shown = (body['errors'] ?? body['failures']) as { image_url: unknown; retryable: boolean }[]
    expect(shown.map(({ image_url }) => image_url)).toEqual([urls[0], null, null, null])
    expect(shown.every(({ retryable }) => retryable)).toBe(true)
  }
})

describe('errors as CSV', () => {
  const readCsv = async (id: string, as = token) => {
    const response = await app.http.handle(
      new Request(`${BASE_URL}/v1/jobs/${id}/errors?format=csv`, {
        headers: { authorization: `Bearer ${as}` },
      }),
    )
    return { response, text: await response.text() }
  }

  test('holds every error, with the picture of what can be tried again', async () => {
    const products = Array.from({ length: 120 }, (_, n) => gone(`p${n}`))
    const id = await finishBulk([...products, { product_id: 'w' }])
    const { response, text } = await readCsv(id)
    expect(response.headers.get('content-type')).toBe('text/csv; charset=utf-8')
    expect(response.headers.get('content-disposition')).toBe('attachment; filename="errors.csv"')
    const [head, ...lines] = text.trimEnd().split('\r\n')
    expect(head).toBe('index,product_id,image_url,error,message,retryable,details')
    expect(lines).toHaveLength(121)
    expect(lines[7]).toStartWith('7,p7,https://img.test/gone/p7.jpg,image_download_failed,')
    expect(lines[120]).toStartWith('120,w,,validation_error,')
  })

  test('a cell is never a formula', async () => {
    const names = ['=1+1', '+1', '-1', '@x', '=HYPERLINK("http://evil.test","x")']
    const id = await finishBulk(names.map(gone))
    const { text } = await readCsv(id)
    const cells = text
      .trimEnd()
      .split('\r\n')
      .slice(1)
      .map((line) => line.replace(/^\d+,"?/, '').slice(0, 2))
    expect(cells).toEqual(["'=", "'+", "'-", "'@", "'="])
  })

  test('the job of another store is not found', async () => {
    const id = await finishBulk([gone('a')])
    const other = await openStore(app, 'enterprise', 'other')
    expect((await readCsv(id, other.token)).response.status).toBe(404)
  })
})

describe('source and started_by', () => {
  const read = async (id: string, as = token) => {
    const { source, started_by } = await readJob(app, as, id)
    return { source, started_by }
  }
  const body = JSON.stringify({ products: [{ product_id: 'a' }] })
  const send = (as: { token?: string; headers?: Record<string, string> }) =>
    app.call('POST', '/v1/products/bulk', {
      ...{ ...as, body },
      headers: { ...as.headers, 'content-type': 'application/json' },
    })
  const start = async (as: Parameters<typeof send>[0]) => String((await send(as)).body['job_id'])

  test('a bulk request by the machine grant', async () => {
    expect(await read(await start({ token }))).toEqual({
      source: { kind: 'api', name: null, bytes: body.length },
      started_by: { kind: 'machine', id: null, name: null },
    })
  })

  test('the file of a form, its own body, and the command line', async () => {
    const content = `id,image\n1,${app.picture('1', 1)}\n`
    const upload = (headers: Record<string, string> = {}) =>
      app.call('POST', '/v1/products/import', {
        ...{ token, headers, body: form({ file: Uint8Array.from(strToU8(content)) }) },
      })
    const sourceOf = async (answer: { body: Record<string, unknown> }) =>
      (await read(String(answer.body['job_id']))).source
    const bytes = content.length
    expect(await sourceOf(await upload())).toEqual({ kind: 'file', name: expect.any(String), bytes })
    expect(await sourceOf(await upload({ 'user-agent': 'lookalike-cli' }))).toMatchObject({ kind: 'cli' })
    const raw = { token, body: content, headers: { 'content-type': 'text/csv' } }
    expect(await sourceOf(await app.call('POST', '/v1/products/import', raw))).toEqual({
      ...{ kind: 'file', name: null, bytes },
    })
  })

  test('a member, until they leave; a super-admin who is none has no name', async () => {
    const anna = await addPerson(app, 'anna', [{ store: 'one', role: 'admin' }])
    const operator = await addPerson(app, 'op', [], { isSuperAdmin: true })
    const id = await start({ token: await getToken(app, anna) })
    expect((await read(id)).started_by).toEqual({ kind: 'person', id: anna.id, name: 'anna' })
    const byOperator = await start({
      token: await getToken(app, operator),
      headers: { 'x-service-active-tenant': 'one' },
    })
    expect((await read(byOperator)).started_by).toEqual({ kind: 'operator', id: null, name: null })

    deleteRows(app, 'memberships', { user_id: anna.id })
    expect((await read(id)).started_by).toEqual({ kind: 'person', id: null, name: null })
    deleteRows(app, 'users', { id: anna.id })
    expect((await read(id)).started_by).toEqual({ kind: 'person', id: null, name: null })
  })

  test('an API key by its name', async () => {
    const key = { name: 'sync', scopes: { products: ['read', 'write', 'bulk'] } }
    const { body: made } = await app.call('POST', '/v1/security/api-keys', { token, body: key })
    const id = await start({ headers: { 'x-api-key': String(made['key']) } })
    expect((await read(id)).started_by).toEqual({ kind: 'key', id: made['id'], name: 'sync' })
  })

  test('receivers of callbacks learn the source, and not who started the job', async () => {
    const callback_url = 'https://hooks.test/done'
    const { body: started } = await app.call('POST', '/v1/products/bulk', {
      ...{ token, body: JSON.stringify({ products: [good('a')], callback_url }) },
      headers: { 'content-type': 'application/json' },
    })
    await waitForJob(app, storeId, token, String(started['job_id']))
    const data = String(readColumn(app, 'deliveries', 'data')[0])
    expect(JSON.parse(data)).toMatchObject({ source: { kind: 'api' } })
    expect(JSON.parse(data)).not.toHaveProperty('started_by')
  })
})
