import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { DAY_MS } from '../../../../src/core/clock.ts'
import { OperatorError } from '../../../../src/core/operator-error.ts'
import type { AdminModels } from '../../../../src/features/operation/models/schema.ts'
import type { BringStep } from '../../../../src/platform/models/bring.ts'
import type { ShelvedModel } from '../../../../src/platform/models/shelf.ts'
import { BASE_URL, type TestApp, testApp } from '../../../support/app.ts'
import { gatedEmbedder } from '../../../support/gate.ts'
import { addPerson, getToken, type Person, refusal } from '../../../support/people.ts'

const OPERATOR_KEY = 'what-commands-on-this-machine-show'
const METRICS_TOKEN = 'what-a-scraper-shows'
const BASE: Omit<ShelvedModel, 'name'> = {
  ...{ dir: '/models/big', hash: 'b'.repeat(64), dimension: 8, family: 'clip', bytes: 5, isBundled: false },
}

let app: TestApp
let root: Person
let gate: ReturnType<typeof gatedEmbedder>
let models: ShelvedModel[]
let fetched: PromiseWithResolvers<void>
let tellStep: (step: BringStep) => void
let token: string
let isShelfBusy: boolean

beforeEach(async () => {
  models = [
    { ...BASE, name: 'fake', hash: 'f'.repeat(64), isBundled: true },
    { ...BASE, name: 'big' },
    { ...BASE, name: 'torn', problem: 'config.json is missing' },
  ]
  fetched = Promise.withResolvers()
  isShelfBusy = false
  gate = gatedEmbedder()
  app = testApp(
    {
      embedder: gate.embedder,
      operatorKey: OPERATOR_KEY,
      moveWorld: {
        find: async (name) => models.find((model) => model.name === name),
        findFolder: () => '/models/fake',
        machine: { readFreeDiskBytes: async () => 1e12, readFreeMemoryBytes: () => 1e12 },
        ...{ isDirSet: false, isChosen: false, dir: '/models/fake' },
      },
      shelf: {
        list: async () => models,
        find: async (name) => models.find((model) => model.name === name),
        remove: async (name) => {
          if (isShelfBusy) throw new OperatorError('Another lookalike is adding a model')
          models = models.filter((model) => model.name !== name)
        },
      },
      fetchModel(_name, tell, stop) {
        tellStep = tell
        stop.addEventListener('abort', () => fetched.reject(new Error('stopped')))
        return fetched.promise
      },
    },
    { METRICS_TOKEN },
  )
  token = await app.signIn('one')
  root = await addPerson(app, 'root', [], { isSuperAdmin: true })
})
afterEach(async () => {
  gate.open()
  app.modelMoves.stop()
  await app.modelMoves.drain()
  await app.close()
})

const call = async (method: string, path: string, body?: unknown) =>
  app.call(method, `/v1/admin${path}`, {
    token: await getToken(app, root),
    ...(body !== undefined && { body }),
  })
const command = (method: string, path: string, body?: unknown, token = OPERATOR_KEY) =>
  app.call(method, path, { token, ...(body !== undefined && { body }) })
const list = async () => (await call('GET', '/models')).body as unknown as AdminModels
const readMetrics = async (): Promise<string> => {
  const request = new Request(`${BASE_URL}/metrics`, {
    headers: { authorization: `Bearer ${METRICS_TOKEN}` },
  })
  return (await app.http.handle(request)).text()
}
const audit = async (action: string) => (await call('GET', `/audit?action=${action}`)).body['events']

/** Adds a product to the store, for a move to have something to do. */
const addProduct = async () => {
  const body = { product_id: 'a', image_url: app.picture('a', 1) }
  expect((await app.call('POST', '/v1/products', { token, body })).status).toBe(201)
}

/** Does what a running service does until the move has ended. */
async function finishMove(): Promise<void> {
  for (let rounds = 0; app.modelMoves.status().move?.state === 'running' && rounds < 20; rounds++) {
    await app.modelMoves.wake()
    await app.modelMoves.drain()
  }
}

describe('the list of models', () => {
  test('shows those that are here, and then those that could be fetched', async () => {
    const { in_use, models: shown, ...rest } = await list()
    expect(in_use).toBe('fake')
    expect(shown.slice(0, 3).map(({ name, state, problem }) => [name, state, problem])).toEqual([
      ['fake', 'in_use', null],
      ['big', 'here', null],
      ['torn', 'broken', 'config.json is missing'],
    ])
    expect(shown.find(({ name }) => name === 'clip-vit-base-patch32')).toMatchObject({
      ...{ state: 'known', status: 'confirmed', dimension: 512, is_bundled: false, problem: null },
    })
    expect(rest).toEqual({
      pictures: 0,
      move: null,
      former: null,
      fetch: null,
      model_dir_set: false,
      is_offline: false,
    })
  })

  test('names a model that MODEL_DIR chooses, although no folder of the shelf holds it', async () => {
    models = models.filter(({ isBundled }) => !isBundled)
    expect((await list()).models[0]).toMatchObject({ name: 'fake', state: 'in_use', dimension: 8 })
  })
})

describe('the download of a known model', () => {
  test('goes on in the background, one at a time, and its end is written down', async () => {
    const started = await call('POST', '/models/fetch', { name: 'clip-vit-base-patch32' })
    expect(started.status).toBe(202)
    tellStep({ step: 'download', bytes: 10, bytesTotal: 40 })
    expect((await list()).fetch).toMatchObject({
      ...{
        job_id: started.body['job_id'],
        name: 'clip-vit-base-patch32',
        state: 'running',
        step: 'download',
      },
      ...{ bytes: 10, bytes_total: 40, error: null, finished_at: null },
    })
    const second = await call('POST', '/models/fetch', { name: 'clip-vit-base-patch32' })
    expect(second).toMatchObject({ status: 409, body: { details: { reason: 'fetch_running' } } })
    const { body } = await call('GET', '/jobs')
    expect(body['jobs']).toMatchObject([
      {
        store: null,
        type: 'model_fetch',
        status: 'processing',
        progress: 0.25,
        source: { name: 'clip-vit-base-patch32' },
      },
    ])
    fetched.resolve()
    await app.services.modelDesk.drain()
    expect((await list()).fetch).toMatchObject({ state: 'done', step: null, error: null })
    expect(await audit('model.fetch_started')).toMatchObject([
      { details: { model: 'clip-vit-base-patch32' } },
    ])
  })

  test('says why it failed', async () => {
    await call('POST', '/models/fetch', { name: 'clip-vit-base-patch32' })
    fetched.reject(new Error('tokenizer.json has another hash\n\nFiles to bring by hand'))
    await app.services.modelDesk.drain()
    expect((await list()).fetch).toMatchObject({ state: 'failed', error: 'tokenizer.json has another hash' })
    expect((await call('GET', '/jobs?status=failed')).body).toMatchObject({ count: 1 })
  })

  test('ends when somebody cancels it', async () => {
    expect(refusal(await call('POST', '/models/fetch/cancel'))).toEqual([409, 'conflict'])
    await call('POST', '/models/fetch', { name: 'clip-vit-base-patch32' })
    expect((await call('POST', '/models/fetch/cancel')).body).toMatchObject({
      state: 'cancelled',
      error: null,
    })
    expect(await audit('model.fetch_cancelled')).toHaveLength(1)
  })

  test('that a kill has ended says that the next one goes on', async () => {
    await call('POST', '/models/fetch', { name: 'clip-vit-base-patch32' })
    fetched.resolve()
    await app.services.modelDesk.drain()
    app.db.prepare(`UPDATE model_fetches SET state = 'running', finished_at = NULL`).run()
    const interrupted = { state: 'failed', error: expect.stringContaining('goes on there') }
    expect((await list()).fetch).toMatchObject(interrupted)
    await app.tidy()
    expect((await list()).fetch).toMatchObject({ ...interrupted, finished_at: '2030-01-01T00:00:00.000Z' })
  })

  test('takes neither an unknown name, nor a path, nor one whose files nobody has confirmed', async () => {
    for (const name of ['none', '../clip-vit-base-patch32', 'https://hub.test/model']) {
      expect(refusal(await call('POST', '/models/fetch', { name }))).toEqual([404, 'not_found'])
    }
    const unconfirmed = (await list()).models.find(({ status }) => status === 'unconfirmed')
    const refused = await call('POST', '/models/fetch', { name: unconfirmed?.name })
    expect(refused).toMatchObject({ status: 409, body: { details: { reason: 'unconfirmed' } } })
    models.push({ ...BASE, name: 'clip-vit-base-patch32' })
    expect(await call('POST', '/models/fetch', { name: 'clip-vit-base-patch32' })).toMatchObject({
      ...{ status: 409, body: { details: { reason: 'already_here' } } },
    })
  })
})

describe('a move', () => {
  test('is started and written down, and stands among the jobs and the numbers', async () => {
    await addProduct()
    const started = await call('POST', '/models/use', { name: 'big' })
    expect(started).toMatchObject({
      ...{ status: 202, body: { kind: 'use', from: 'fake', to: 'big', state: 'running', products: 1 } },
    })
    expect(await audit('model.move_started')).toMatchObject([
      { details: { kind: 'use', from: 'fake', to: 'big', by_super_admin: true } },
    ])
    expect(await readMetrics()).toContain('model_move_running 1\n')
    await finishMove()
    const { in_use, move, former } = await list()
    expect([in_use, move?.state, former?.name]).toEqual(['big', 'done', 'fake'])
    const { body } = await call('GET', '/jobs')
    expect(body['jobs']).toMatchObject([
      { store: null, type: 'model_move', status: 'completed', succeeded: 1, source: { name: 'big' } },
    ])
    const numbers = await readMetrics()
    expect(numbers).toContain('model_move_running 0\n')
    expect(numbers).toContain('model_move_products{state="done"} 1\n')
    expect(numbers).toContain('model_move_stores{state="done"} 1\n')
  })

  test('of no model, to the one in use, and back to none is refused', async () => {
    expect(refusal(await call('POST', '/models/use', { name: 'none' }))).toEqual([404, 'not_found'])
    for (const [path, body] of [
      ['use', { name: 'fake' }],
      ['use', { name: 'torn' }],
      ['back', undefined],
      ['cancel', undefined],
      ['confirm', undefined],
    ] as const) {
      expect(refusal(await call('POST', `/models/${path}`, body))).toEqual([409, 'conflict'])
    }
    expect(await audit('model.move_started')).toEqual([])
  })

  test('goes back, and what is confirmed has no way back', async () => {
    await addProduct()
    await call('POST', '/models/use', { name: 'big' })
    await finishMove()
    expect((await call('GET', '/overview')).body['of_node']).toMatchObject([
      { kind: 'former_model_kept', severity: 'info', data: { in_use: 'big', former: 'fake' } },
    ])
    expect((await call('POST', '/models/back')).body).toMatchObject({ kind: 'back', to: 'fake' })
    await finishMove()
    expect((await call('POST', '/models/confirm')).body).toEqual({ status: 'confirmed', in_use: 'fake' })
    expect(await audit('model.confirmed')).toMatchObject([{ details: { model: 'fake', former: 'big' } }])
    expect(refusal(await call('POST', '/models/back'))).toEqual([409, 'conflict'])
    expect((await call('GET', '/overview')).body['of_node']).toEqual([])
  })

  test('to the same model again is for one store or for all, and can be cancelled', async () => {
    await addProduct()
    expect(refusal(await call('POST', '/models/reindex', { store: 'two' }))).toEqual([404, 'not_found'])
    for (const body of [{}, { store: 'one' }]) {
      gate.close()
      expect(await call('POST', '/models/reindex', body)).toMatchObject({
        status: 202,
        body: { kind: 'reindex' },
      })
      expect((await call('POST', '/models/cancel')).status).toBe(202)
      gate.open()
      await finishMove()
    }
    expect(await audit('model.move_cancelled')).toHaveLength(2)
  })

  test.each([
    ['use', { name: 'big' }],
    ['reindex', {}],
    ['cancel', undefined],
    ['back', undefined],
  ])('is begun once by requests with one key: %s', async (path, body) => {
    await addProduct()
    if (path === 'cancel') {
      gate.close()
      await call('POST', '/models/reindex', {})
    }
    if (path === 'back') {
      await call('POST', '/models/use', { name: 'big' })
      await finishMove()
    }
    const headers = { 'idempotency-key': 'once' }
    const of = { token: await getToken(app, root), headers, ...(body && { body }) }
    const first = await app.call('POST', `/v1/admin/models/${path}`, of)
    const again = await app.call('POST', `/v1/admin/models/${path}`, of)
    expect([first.status, first.headers.get('idempotent-replayed')]).toEqual([202, null])
    expect([again.status, again.headers.get('idempotent-replayed')]).toEqual([202, 'true'])
    expect(again.body).toEqual(first.body)
  })

  test('tells the operator of products that it could not embed', async () => {
    await addProduct()
    app.web.clear()
    app.db.prepare('DELETE FROM kept_pictures').run()
    await call('POST', '/models/use', { name: 'big' })
    for (let tries = 0; tries < 20 && app.modelMoves.status().move?.state === 'running'; tries++) {
      app.clock.advance(DAY_MS)
      await finishMove()
    }
    const { move } = await list()
    expect(move).toMatchObject({ state: 'done', failed: 1, failures: [{ store: 'one', product_id: 'a' }] })
    const { body } = await call('GET', '/overview')
    expect((body['of_node'] as unknown[])[0]).toMatchObject({
      ...{ kind: 'model_products_failed', severity: 'warning', data: { failed: 1, from: 'fake', to: 'big' } },
    })
  })
})

describe('the removal of a model', () => {
  test('deletes one that nothing uses', async () => {
    expect((await call('DELETE', '/models/torn')).body).toEqual({ status: 'removed', name: 'torn' })
    expect(models.map(({ name }) => name)).toEqual(['fake', 'big'])
    expect(refusal(await call('DELETE', '/models/torn'))).toEqual([404, 'not_found'])
    expect(await audit('model.removed')).toHaveLength(1)
  })

  test('of one that a move goes to, that is in use or that is the way back is refused', async () => {
    const refused = () => call('DELETE', '/models/big').then(refusal)
    await addProduct()
    await call('POST', '/models/use', { name: 'big' })
    expect(await refused()).toEqual([409, 'conflict'])
    await finishMove()
    expect(await refused()).toEqual([409, 'conflict'])
    await call('POST', '/models/back')
    await finishMove()
    expect(await refused()).toEqual([409, 'conflict'])
    await call('POST', '/models/confirm')
    expect((await call('DELETE', '/models/big')).status).toBe(200)
  })

  test('waits for a command that changes the folder of the models', async () => {
    isShelfBusy = true
    expect(await call('DELETE', '/models/torn')).toMatchObject({
      ...{ status: 409, body: { message: 'Another lookalike is adding a model' } },
    })
    expect(await audit('model.removed')).toEqual([])
  })

  test('of the bundled one is refused', async () => {
    expect(await call('DELETE', '/models/fake')).toMatchObject({
      ...{ status: 409, body: { details: { reason: 'bundled' } } },
    })
  })
})

describe('a command on this machine', () => {
  test('acts as the operator with the key of the data folder, and the log says so', async () => {
    expect((await command('POST', '/v1/admin/models/use', { name: 'big' })).status).toBe(202)
    expect((await command('GET', '/v1/admin/models')).status).toBe(200)
    expect(await audit('model.move_started')).toMatchObject([{ actor: { kind: 'operator' } }])
  })

  test('gets nowhere else with it, and nowhere with another one', async () => {
    for (const path of [
      '/v1/admin/stores',
      '/v1/admin/jobs',
      '/v1/products',
      '/v1/me',
      '/v1/admin/overview',
    ]) {
      expect(refusal(await command('GET', path))).toEqual([401, 'unauthorized'])
    }
    for (const key of [`${OPERATOR_KEY}x`, OPERATOR_KEY.slice(1), 'null', 'undefined']) {
      expect(refusal(await command('GET', '/v1/admin/models', undefined, key))).toEqual([401, 'unauthorized'])
    }
    const { body } = await app.call('GET', '/v1/admin/models', { headers: { 'x-api-key': OPERATOR_KEY } })
    expect(body['error']).toBe('unauthorized')
  })

  test('of a service without a key is a stranger', async () => {
    const other = testApp()
    for (const token of ['undefined', 'null', 'x']) {
      expect((await other.call('GET', '/v1/admin/models', { token })).status).toBe(401)
    }
    await other.close()
  })
})
