import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { ApiError } from '../../../../src/core/errors.ts'
import type { FetchStep } from '../../../../src/features/operation/models/fetches.ts'
import type { AdminModels } from '../../../../src/features/operation/models/schema.ts'
import type { ModelMoves, MoveStatus, ShelvedModel } from '../../../../src/features/operation/models/world.ts'
import { BASE_URL, type TestApp, testApp } from '../../../support/app.ts'
import { addPerson, getToken, type Person, refusal } from '../../../support/people.ts'

const OPERATOR_KEY = 'what-commands-on-this-machine-show'
const METRICS_TOKEN = 'what-a-scraper-shows'
const BASE: Omit<ShelvedModel, 'name'> = {
  ...{ dir: '/models', hash: 'ab', dimension: 512, family: 'clip', bytes: 5, isBundled: false },
}
const MOVE: MoveStatus = {
  ...{ id: '01920000-0000-7000-8000-000000000001', kind: 'use', from: 'small', to: 'big', state: 'running' },
  ...{ stores: 2, stores_done: 1, products: 40, products_done: 30, failed: 2, eta_seconds: 9 },
  failures: [{ store: 'one', product_id: 'a', code: 'image_download_failed' }],
  ...{ started_at: '2030-01-01T00:00:00.000Z', finished_at: null },
}

let app: TestApp
let root: Person
let models: ShelvedModel[]
let fetched: PromiseWithResolvers<void>
let tellStep: (step: FetchStep) => void
let status: ReturnType<ModelMoves['status']>
let calls: string[]

const moves: ModelMoves = {
  use: async (name) => {
    calls.push(`use ${name}`)
    if (name === 'none') throw new ApiError('not_found', 'No such model')
    return MOVE
  },
  back: async () => ({ ...MOVE, kind: 'back' }),
  cancel: async () => ({ ...MOVE, state: 'cancelled' }),
  confirm: async () => {},
  reindex: async (id) => {
    calls.push(`reindex ${id}`)
    return { ...MOVE, kind: 'reindex' }
  },
  status: () => status,
}

beforeEach(async () => {
  models = [
    { ...BASE, name: 'small', isBundled: true },
    { ...BASE, name: 'big' },
    { ...BASE, name: 'torn', problem: 'config.json is missing' },
  ]
  status = { in_use: 'small', move: null, former: null }
  calls = []
  fetched = Promise.withResolvers()
  app = testApp(
    {
      moves,
      operatorKey: OPERATOR_KEY,
      shelf: {
        list: async () => models,
        find: async (name) => models.find((model) => model.name === name),
        remove: async (name) => {
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
  await app.signIn('one')
  root = await addPerson(app, 'root', [], { isSuperAdmin: true })
})
afterEach(() => app.close())

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

describe('the list of models', () => {
  test('shows those that are here, and then those that could be fetched', async () => {
    const { in_use, models: shown, ...rest } = await list()
    expect(in_use).toBe('small')
    expect(shown.slice(0, 3).map(({ name, state, problem }) => [name, state, problem])).toEqual([
      ['small', 'in_use', null],
      ['big', 'here', null],
      ['torn', 'broken', 'config.json is missing'],
    ])
    expect(shown.find(({ name }) => name === 'clip-vit-base-patch32')).toMatchObject({
      ...{ state: 'known', status: 'confirmed', dimension: 512, is_bundled: false, problem: null },
    })
    expect(rest).toEqual({ move: null, former: null, fetch: null, model_dir_set: false, is_offline: false })
  })

  test('names a model that MODEL_DIR chooses, although no folder of the shelf holds it', async () => {
    status = { ...status, in_use: 'elsewhere' }
    expect((await list()).models[0]).toMatchObject({ name: 'elsewhere', state: 'in_use', dimension: 8 })
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
    fetched.reject(new Error('tokenizer.json has another hash'))
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
    const started = await call('POST', '/models/use', { name: 'big' })
    expect(started).toMatchObject({ status: 202, body: MOVE })
    expect(calls).toEqual(['use big'])
    expect(await audit('model.move_started')).toMatchObject([
      { details: { kind: 'use', from: 'small', to: 'big', by_super_admin: true } },
    ])
    status = { in_use: 'small', move: MOVE, former: null }
    expect((await list()).move).toEqual(MOVE)
    const numbers = await readMetrics()
    expect(numbers).toContain('model_move_running 1\n')
    expect(numbers).toContain('model_move_products{state="waiting"} 8\n')
    expect(numbers).toContain('model_move_stores{state="done"} 1\n')
  })

  test.each([
    ['use', { name: 'big' }],
    ['back', undefined],
    ['cancel', undefined],
    ['reindex', {}],
  ])('is begun once by requests with one key: %s', async (path, body) => {
    const headers = { 'idempotency-key': 'once' }
    const token = await getToken(app, root)
    const send = () => app.call('POST', `/v1/admin/models/${path}`, { token, headers, ...(body && { body }) })
    const first = await send()
    const again = await send()
    expect([first.status, first.headers.get('idempotent-replayed')]).toEqual([202, null])
    expect([again.status, again.headers.get('idempotent-replayed')]).toEqual([202, 'true'])
    expect(again.body).toEqual(first.body)
    expect(await audit(path === 'cancel' ? 'model.move_cancelled' : 'model.move_started')).toHaveLength(1)
  })

  test('of no model is refused', async () => {
    expect(refusal(await call('POST', '/models/use', { name: 'none' }))).toEqual([404, 'not_found'])
    expect(await audit('model.move_started')).toEqual([])
  })

  test('goes back, is cancelled and confirmed', async () => {
    status = { ...status, former: { name: 'big', until: '2030-01-08T00:00:00.000Z' } }
    expect((await call('POST', '/models/back')).body).toMatchObject({ kind: 'back' })
    expect((await call('POST', '/models/cancel')).body).toMatchObject({ state: 'cancelled' })
    expect((await call('POST', '/models/confirm')).body).toEqual({ status: 'confirmed', in_use: 'small' })
    expect(await audit('model.confirmed')).toMatchObject([{ details: { model: 'small', former: 'big' } }])
  })

  test('to the same model again is for one store or for all', async () => {
    expect((await call('POST', '/models/reindex', {})).status).toBe(202)
    expect((await call('POST', '/models/reindex', { store: 'one' })).status).toBe(202)
    expect(refusal(await call('POST', '/models/reindex', { store: 'two' }))).toEqual([404, 'not_found'])
    expect(calls).toEqual(['reindex undefined', expect.stringMatching(/^reindex [0-9a-f]{8}-/)])
  })

  test('tells the operator of products that it could not embed, and of the way back', async () => {
    status = {
      ...{ in_use: 'big', move: { ...MOVE, state: 'done', finished_at: '2030-01-02T00:00:00.000Z' } },
      former: { name: 'small', until: '2030-01-09T00:00:00.000Z' },
    }
    const { body } = await call('GET', '/overview')
    expect(body['of_node']).toMatchObject([
      { kind: 'model_products_failed', severity: 'warning', data: { failed: 2, to: 'big' } },
      { kind: 'former_model_kept', severity: 'info', data: { former: 'small' } },
    ])
  })
})

describe('the removal of a model', () => {
  test('deletes one that nothing uses', async () => {
    expect((await call('DELETE', '/models/torn')).body).toEqual({ status: 'removed', name: 'torn' })
    expect(models.map(({ name }) => name)).toEqual(['small', 'big'])
    expect(refusal(await call('DELETE', '/models/torn'))).toEqual([404, 'not_found'])
    expect(await audit('model.removed')).toHaveLength(1)
  })

  test.each<[string, Partial<typeof status>]>([
    ['that is in use', { in_use: 'big' }],
    ['that a move goes to', { move: MOVE }],
    ['that is the way back', { former: { name: 'big', until: '2030-01-09T00:00:00.000Z' } }],
  ])('of one %s is refused', async (_, changed) => {
    status = { ...status, ...changed }
    expect(refusal(await call('DELETE', '/models/big'))).toEqual([409, 'conflict'])
    expect(models).toHaveLength(3)
  })

  test('of the bundled one is refused', async () => {
    status = { ...status, in_use: 'big' }
    expect(await call('DELETE', '/models/small')).toMatchObject({
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
