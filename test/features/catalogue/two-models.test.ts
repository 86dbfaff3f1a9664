import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { ApiError } from '../../../src/core/errors.ts'
import type { Embedder } from '../../../src/platform/embedder/embedder.ts'
import type { ServingModel } from '../../../src/platform/models/model-set.ts'
import { pictureBytes, type TestApp, testApp } from '../../support/app.ts'
import { fakeEmbedder } from '../../support/embedder.ts'

const METRICS_TOKEN = 'm'.repeat(32)

let app: TestApp
let token: string
let storeId: string
/** The model that the store moves to; its vectors have other dimensions. */
let target: Embedder

beforeEach(async () => {
  target = { ...fakeEmbedder({ id: 'new', hash: 'e'.repeat(64), dimension: 16 }) }
  app = testApp({ openModel: () => target }, { METRICS_TOKEN })
  token = await app.signIn()
  storeId = storeOf('one')
})
afterEach(() => app.close())

const storeOf = (slug: string): string => app.stores.requireBySlug(slug).id
const callerStore = () =>
  app.storeRows.findStore(storeId) as NonNullable<ReturnType<typeof app.storeRows.findStore>>

async function put(id: string, axis: number, metadata: object = { name: `mug ${id}` }): Promise<number> {
  const body = { product_id: id, image_url: app.picture(id, axis), metadata, refresh: true }
  return (await app.call('POST', '/v1/products', { token, body })).status
}

/** The best product for a picture, and for words. */
async function find(axis: number, query?: string): Promise<string[]> {
  const byWords = query === undefined ? undefined : { query, limit: 1 }
  const path = byWords ? '/v1/search/text' : '/v1/search/url'
  app.web.set('https://img.test/query.jpg', pictureBytes(axis))
  const body = byWords ?? { image_url: 'https://img.test/query.jpg', limit: 1, threshold: 0.5 }
  const answer = await app.call('POST', path, { token, body })
  expect(answer.status).toBe(200)
  return (answer.body['results'] as { product_id: string }[]).map(({ product_id }) => product_id)
}

function begin(id = storeId): ServingModel {
  const model = app.models.open({ name: 'new', dir: '/models/new', hash: 'e'.repeat(64) })
  app.models.setComing(id, model)
  return model
}

/** Embeds what waits, as a move does. */
async function embedAll(ids: readonly string[]): Promise<string[]> {
  const effects: string[] = []
  for (const id of ids) effects.push(await app.products.writer.embedComing(callerStore(), id))
  return effects
}

/** Switches the store in one transaction, and memory in the same tick. */
function flip(model: ServingModel, id = storeId): void {
  app.db.prepare('INSERT OR REPLACE INTO store_models (store_id, model) VALUES (?, ?)').run(id, model.row)
  app.productIndex.switchTo(id)
  app.models.setModelOf(id, model)
  app.models.setComing(id, undefined)
}

async function moveAll(ids: readonly string[]): Promise<ServingModel> {
  const model = begin()
  await embedAll(ids)
  await app.productIndex.loadComing(storeId)
  flip(model)
  return model
}

const vectorsOf = (model: Pick<ServingModel, 'vectors'>): number[] => {
  const rows: number[] = []
  model.vectors.each((row) => rows.push(row))
  return rows.sort((a, b) => a - b)
}

describe('a store that moves to another model', () => {
  test('answers as before until its switch, and from the other model afterwards; pictures keep their rows', async () => {
    for (let n = 0; n < 6; n++) await put(`p${n}`, n)
    const rows = () =>
      app.db.prepare<[], { id: number }>('SELECT id, position, product FROM pictures ORDER BY id').all()
    const times = () => app.db.prepare('SELECT product_id, updated_at FROM products ORDER BY id').all()
    const [pictures, changed] = [rows(), times()]
    const former = app.models.of(storeId)
    const model = begin()
    const ids = ['p0', 'p1', 'p2', 'p3', 'p4', 'p5']
    expect(new Set(await embedAll(ids))).toEqual(new Set(['embedded']))
    expect(new Set(await embedAll(ids))).toEqual(new Set(['unchanged']))
    expect([rows(), times()]).toEqual([pictures, changed])
    expect(vectorsOf(model)).toEqual(vectorsOf(former))
    expect(await find(3)).toEqual(['p3'])
    await app.productIndex.loadComing(storeId)
    expect(await find(3)).toEqual(['p3'])
    expect(app.productIndex.findVector(storeId, pictures[0]?.id as number)).toHaveLength(8)

    flip(model)
    expect(app.productIndex.findVector(storeId, pictures[0]?.id as number)).toHaveLength(16)
    for (let n = 0; n < 6; n++) expect(await find(n)).toEqual([`p${n}`])
    expect(await find(0, 'mug p4')).toEqual(['p4'])
    expect(rows()).toEqual(pictures)
  })

  test('writes in its middle reach both sides, and so do deletions', async () => {
    for (let n = 0; n < 70; n++) await put(`p${n}`, n % 8)
    const former = app.models.of(storeId)
    const model = begin()
    await embedAll(Array.from({ length: 70 }, (_, n) => `p${n}`))
    const loading = app.productIndex.loadComing(storeId)
    await put('new', 9)
    await put('p1', 10)
    expect((await app.call('DELETE', '/v1/products/p2', { token })).status).toBe(200)
    await loading
    await put('newest', 11)
    expect((await app.call('DELETE', '/v1/products/p3', { token })).status).toBe(200)
    expect(vectorsOf(model)).toEqual(vectorsOf(former))
    flip(model)
    expect([await find(9), await find(10), await find(11)]).toEqual([['new'], ['p1'], ['newest']])
    const list = await app.call('POST', '/v1/search/text', { token, body: { query: 'p2 p3', limit: 50 } })
    const found = (list.body['results'] as { product_id: string }[]).map(({ product_id }) => product_id)
    expect(found.filter((id) => id === 'p2' || id === 'p3')).toEqual([])
  })

  test('takes writes while the other model fails, and has them on its list afterwards', async () => {
    await put('before', 1)
    begin()
    const { embedPicture } = target
    target.embedPicture = async () => {
      throw new ApiError('model_not_ready', 'Its process is gone')
    }
    expect(await put('during', 2)).toBe(201)
    expect(await find(2)).toEqual(['during'])
    await expect(embedAll(['before'])).rejects.toThrow('Its process is gone')
    target.embedPicture = embedPicture
    expect(await embedAll(['before', 'during'])).toEqual(['embedded', 'embedded'])
    // A model that has never answered is not even asked.
    target.status = () => ({ state: 'failed', reason: 'it has no memory' })
    let asked = 0
    target.embedPicture = async (...given) => {
      asked++
      return embedPicture(...given)
    }
    expect([await put('later', 3), asked]).toEqual([201, 0])
  })

  test('finds a product whose picture cannot be had again by its words, and by no picture', async () => {
    await put('kept', 1, { name: 'oak lamp' })
    await put('lost', 2, { name: 'steel lantern', brand: 'Zed' })
    app.web.delete('https://img.test/lost.jpg')
    const model = begin()
    await embedAll(['kept'])
    await expect(embedAll(['lost'])).rejects.toThrow('404')
    await app.productIndex.loadComing(storeId)
    flip(model)
    expect(await find(2)).toEqual([])
    expect(await find(0, 'steel lantern 2')).toEqual(['lost'])
    const explained = await app.call('POST', '/v1/search/text', {
      token,
      body: { query: 'lantern 1', explain: true },
    })
    const results = explained.body['results'] as { product_id: string; explain: { cosine: number | null } }[]
    expect(results.find(({ product_id }) => product_id === 'lost')?.explain.cosine).toBeNull()
    const filtered = { filters: [{ field: 'brand', operator: 'eq', value: 'Zed' }] }
    const listed = await app.call('POST', '/v1/search/filtered', { token, body: filtered })
    expect((listed.body['results'] as unknown[]).length).toBe(1)
    // The same from the database, and after its picture is back.
    app.loadIndex()
    expect(await find(0, 'steel lantern 2')).toEqual(['lost'])
    app.picture('lost', 2)
    await app.products.writer.embedAgain(callerStore(), 'lost')
    expect(await find(2)).toEqual(['lost'])
  })

  test('a picture that has changed at its address is written as a refresh does', async () => {
    await put('p', 1)
    const model = begin()
    app.picture('p', 5)
    expect(await embedAll(['p'])).toEqual(['embedded'])
    expect(await find(5)).toEqual(['p'])
    expect(vectorsOf(model)).toEqual(vectorsOf(app.models.of(storeId)))
    await app.productIndex.loadComing(storeId)
    flip(model)
    expect(await find(5)).toEqual(['p'])
  })

  test('costs each picture one download, also where several products show it', async () => {
    const url = app.picture('shared', 4)
    for (const id of ['a', 'b'])
      await app.call('POST', '/v1/products', { token, body: { product_id: id, image_url: url } })
    begin()
    app.downloads.length = 0
    let embedded = 0
    const { embedPicture } = target
    target.embedPicture = async (...given) => {
      embedded++
      return embedPicture(...given)
    }
    await embedAll(['a', 'b'])
    expect([app.downloads, embedded]).toEqual([[url, url], 1])
  })

  test('is dropped without a trace in memory, and a store that is deleted in its middle stops the loading', async () => {
    for (let n = 0; n < 70; n++) await put(`p${n}`, n % 8)
    const model = begin()
    await embedAll(Array.from({ length: 70 }, (_, n) => `p${n}`))
    await app.productIndex.loadComing(storeId)
    expect(app.productIndex.hasComing(storeId)).toBe(true)
    app.productIndex.dropComing(storeId)
    expect(() => app.productIndex.switchTo(storeId)).toThrow('not in memory')
    const loading = app.productIndex.loadComing(storeId)
    app.forgetStore(storeId)
    await expect(loading).rejects.toThrow('dropped')
    expect(app.productIndex.hasComing(storeId)).toBe(false)
    expect(app.models.comingOf(storeId)).toBeUndefined()
    expect(app.productIndex.open(model).index.isEmpty()).toBe(true)
    expect(await find(3)).not.toEqual([])
  })

  test('goes on after a restart on the model that it was switched to, and the others on theirs', async () => {
    await put('p', 1)
    await app.store('two')
    await moveAll(['p'])
    const later = testApp({ db: app.db, openModel: () => target })
    expect(later.models.of(storeId).embedder.model.id).toBe('fake')
    const model = later.models.open({ name: 'new', dir: '/models/new', hash: 'e'.repeat(64) })
    later.loadIndex()
    expect([later.models.of(storeId), later.models.of(storeOf('two'))]).toEqual([model, later.models.inUse])
    const id = (app.db.prepare('SELECT id FROM pictures').get() as { id: number }).id
    expect(later.productIndex.findVector(storeId, id)).toHaveLength(16)
    expect(() => later.models.close(model)).toThrow('Stores are on the model')
  })
})

describe('a switch in the middle of', () => {
  /** Switches the store once a model is asked for something. */
  function switchWithin(model: ServingModel, ask: 'embedPicture' | 'embedText'): void {
    const { embedder } = app.models.inUse
    const original = embedder[ask] as (...given: unknown[]) => Promise<unknown>
    Object.assign(embedder, {
      [ask]: async (...given: unknown[]) => {
        const answer = await original.apply(embedder, given)
        Object.assign(embedder, { [ask]: original })
        flip(model)
        return answer
      },
    })
  }

  async function ready(): Promise<ServingModel> {
    for (let n = 0; n < 4; n++) await put(`p${n}`, n)
    const model = begin()
    await embedAll(['p0', 'p1', 'p2', 'p3'])
    await app.productIndex.loadComing(storeId)
    return model
  }

  test('a search makes it again with the other model, and it is logged once', async () => {
    switchWithin(await ready(), 'embedPicture')
    expect(await find(2)).toEqual(['p2'])
    expect(app.models.of(storeId).embedder.model.id).toBe('new')
    await app.call('GET', '/v1/analytics/searches', { token })
    app.history.flush()
    expect(app.db.prepare('SELECT count(*) AS n FROM searches').get()).toEqual({ n: 1 })
  })

  test('a search by words, too', async () => {
    switchWithin(await ready(), 'embedText')
    expect(await find(0, '3')).toEqual(['p3'])
  })

  test('a write embeds its picture again, with the other model', async () => {
    const model = await ready()
    switchWithin(model, 'embedPicture')
    expect(await put('new', 6)).toBe(201)
    expect(await find(6)).toEqual(['new'])
    expect(vectorsOf(model)).toHaveLength(5)
  })
})

test('an image_id from before the switch is read again', async () => {
  for (let n = 0; n < 4; n++) await put(`p${n}`, n)
  const { embedder } = app.models.inUse
  const { embedPicture } = embedder
  embedder.embedPicture = async (bytes, options) => ({
    ...(await embedPicture.call(embedder, bytes, options)),
    ...(options.preview && { preview: bytes }),
  })
  app.web.set('https://img.test/query.jpg', pictureBytes(2))
  const body = { image_url: 'https://img.test/query.jpg', limit: 1 }
  const first = await app.call('POST', '/v1/search/url', { token, body })
  const image_id =
    (first.body['query'] as { image_id: string } | undefined)?.image_id ?? first.body['image_id']
  await moveAll(['p0', 'p1', 'p2', 'p3'])
  const again = await app.call('POST', '/v1/search/url', { token, body: { image_id, limit: 1 } })
  expect((again.body['results'] as { product_id: string }[]).map(({ product_id }) => product_id)).toEqual([
    'p2',
  ])
})

test('memory has one limit for both models, and a store without room for both stays as it is', async () => {
  await app.close()
  app = testApp({ openModel: () => target, vectorMemoryBytesMax: 500_000 })
  token = await app.signIn()
  storeId = storeOf('one')
  await put('p', 1)
  target = fakeEmbedder({ id: 'new', hash: 'e'.repeat(64), dimension: 4_096 })
  begin()
  await embedAll(['p'])
  await expect(app.productIndex.loadComing(storeId)).rejects.toThrow('no room in memory')
  expect(app.productIndex.hasComing(storeId)).toBe(false)
  expect(await find(1)).toEqual(['p'])
  expect(await put('q', 2)).toBe(201)
})

test('health speaks of the model in use, and the metrics of each that runs', async () => {
  const model = begin()
  target.status = () => ({ state: 'failed', reason: 'it has no memory' })
  expect((await app.call('GET', '/health/ready', {})).status).toBe(200)
  const asked = { headers: { authorization: `Bearer ${METRICS_TOKEN}` } }
  const read = async () => (await app.http.handle(new Request('http://lookalike.test/metrics', asked))).text()
  const text = await read()
  expect(text).toContain(`running_model_ready{id="new",hash="${'e'.repeat(64)}",dimension="16"} 0`)
  expect(text).toContain('model_ready 1')
  app.models.setComing(storeId, undefined)
  await app.models.close(model)
  expect(await read()).not.toContain('id="new"')
})
