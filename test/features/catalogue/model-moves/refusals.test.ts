import { afterEach, describe, expect, test } from 'bun:test'
import { ApiError } from '../../../../src/core/errors.ts'
import type { MoveWorld } from '../../../../src/features/catalogue/model-moves/world.ts'
import type { EmbedderStatus } from '../../../../src/platform/embedder/embedder.ts'
import { countRows, fill, finish, openInstall, search, storeOf, work } from './moving.ts'

const opened: ReturnType<typeof openInstall>['app'][] = []

function install(world: Partial<MoveWorld> = {}, ports: Parameters<typeof openInstall>[1] = {}) {
  const made = openInstall(world, ports)
  opened.push(made.app)
  return made
}

afterEach(async () => {
  for (const app of opened.splice(0)) {
    app.modelMoves.stop()
    await app.modelMoves.drain()
    await app.close()
  }
})

/** The code of the error that a verb ends with. */
const codeOf = (verb: Promise<unknown>): Promise<string> =>
  verb.then(
    () => 'none',
    (error) => (error instanceof ApiError ? error.code : String(error)),
  )

describe('a move is refused', () => {
  test('to a model that is not here, is in use, or has a problem', async () => {
    const broken = { name: 'broken', hash: '', dimension: 0, dir: '/x', bytes: 0, isBundled: false }
    const { app } = install({
      find: async (name) =>
        name === 'broken'
          ? { ...broken, problem: 'config.json is missing' }
          : name === 'fake'
            ? { ...broken, name, hash: 'f'.repeat(64) }
            : undefined,
    })
    expect(await codeOf(app.modelMoves.use('nobody'))).toBe('not_found')
    expect(await codeOf(app.modelMoves.use('fake'))).toBe('conflict')
    expect(app.modelMoves.use('broken')).rejects.toThrow('config.json is missing')
    expect(app.modelMoves.status().move).toBeNull()
  })

  test('while another one runs, and so are confirming and a way back that is not there', async () => {
    const { app } = install()
    await fill(app, await app.signIn(), 2)
    expect(await codeOf(app.modelMoves.back())).toBe('conflict')
    expect(await codeOf(app.modelMoves.cancel())).toBe('conflict')
    const both = await Promise.all([codeOf(app.modelMoves.use('next')), codeOf(app.modelMoves.use('third'))])
    expect(both).toEqual(['none', 'conflict'])
    for (const verb of [
      () => app.modelMoves.use('third'),
      app.modelMoves.back,
      app.modelMoves.confirm,
      app.modelMoves.reindex,
    ])
      expect(await codeOf(verb())).toBe('conflict')
    await finish(app)
    expect(app.modelMoves.status().in_use).toBe('next')
  })

  test('without room on the disk or in memory, with the numbers', async () => {
    const machine = { disk: 1e12, memory: 1e12 }
    const { app } = install({
      machine: { readFreeDiskBytes: async () => machine.disk, readFreeMemoryBytes: () => machine.memory },
    })
    await fill(app, await app.signIn(), 2)
    machine.disk = 200e6
    expect(app.modelMoves.use('next')).rejects.toThrow('200 MB must stay free, but only 200 MB are')
    Object.assign(machine, { disk: 1e12, memory: 100e6 })
    expect(app.modelMoves.use('next')).rejects.toThrow('only 100 MB are free')
    machine.memory = 1e12
    expect(await codeOf(app.modelMoves.use('next'))).toBe('none')
    await finish(app)
    // The way back needs no room on the disk: its vectors are there.
    machine.disk = 0
    expect(await codeOf(app.modelMoves.back())).toBe('none')
    await finish(app)
  })
})

describe('a move pauses', () => {
  test('while its model does not run, and says why', async () => {
    const { app, models } = install()
    await fill(app, await app.signIn(), 2)
    let status: EmbedderStatus = { state: 'failed', reason: 'it was killed five times' }
    models.stand = (name, embedder) => (name === 'next' ? { ...embedder, status: () => status } : embedder)
    await app.modelMoves.use('next')
    await work(app)
    expect(app.modelMoves.status().move?.problem).toContain('it was killed five times')
    expect(await search(app, '1')).toEqual(['p1'])
    status = { state: 'ready' }
    await finish(app)
    expect(app.modelMoves.status().in_use).toBe('next')
  })

  test('while its model dies over and over, and costs no product a try', async () => {
    const { app, models } = install()
    await fill(app, await app.signIn(), 2)
    let isDying = true
    models.stand = (name, embedder) => ({
      ...embedder,
      async embedPicture(bytes, options) {
        if (name === 'next' && isDying) throw new ApiError('model_not_ready', 'The process was lost')
        return embedder.embedPicture(bytes, options)
      },
    })
    await app.modelMoves.use('next')
    for (let n = 0; n < 5; n++) {
      await work(app)
      expect(app.modelMoves.status().move).toMatchObject({
        state: 'running',
        problem: 'The process was lost',
      })
      app.clock.advance(15_000)
    }
    expect(countRows(app, 'reembedding_tries')).toBe(0)
    isDying = false
    await finish(app)
    expect(app.modelMoves.status().move).toMatchObject({ state: 'done', failed: 0, problem: null })
  })

  test('while memory has no room for a store in both models, which stays on the present one', async () => {
    const { app } = install({}, { vectorMemoryBytesMax: 200_000 })
    await fill(app, await app.signIn(), 2)
    await app.modelMoves.use('next')
    await work(app)
    await work(app)
    expect(app.modelMoves.status().move).toMatchObject({
      state: 'running',
      stores_done: 0,
      problem: expect.stringContaining('no room in memory'),
    })
    expect(await search(app, '1')).toEqual(['p1'])
    expect(await app.modelMoves.cancel()).toMatchObject({ state: 'cancelled' })
  })
})

describe('a cancelled move', () => {
  test('leaves nothing behind where no store has switched', async () => {
    const { app, models } = install()
    await fill(app, await app.signIn(), 3)
    models.stand = (name, embedder) =>
      name === 'next' ? { ...embedder, status: () => ({ state: 'starting' }) } : embedder
    await app.modelMoves.use('next')
    await work(app)
    expect(await app.modelMoves.cancel()).toMatchObject({ state: 'cancelled', stores_done: 0 })
    expect(app.modelMoves.status()).toMatchObject({ in_use: 'fake', former: null })
    await app.settle()
    expect(app.models.listRunning().length).toBe(1)
    models.stand = (_, embedder) => embedder
    expect(await codeOf(app.modelMoves.use('next'))).toBe('none')
    await finish(app)
    expect(await search(app, '2')).toEqual(['p2'])
  })
})

describe('many stores without products', () => {
  test('switch together', async () => {
    const { app } = install()
    const insert = app.db.prepare(
      `INSERT INTO stores (id, slug, name, plan, client_secret_hash, created_at, secret_made_at)
       VALUES (?, ?, 'x', 'free', x'00', 0, 0)`,
    )
    app.db.transaction(() => {
      for (let n = 0; n < 2_000; n++) insert.run(`store-${n}`, `slug-${n}`)
    })()
    await fill(app, await app.signIn(), 1)
    await app.modelMoves.use('next')
    await finish(app)
    expect(app.modelMoves.status()).toMatchObject({
      in_use: 'next',
      move: { stores: 2_001, stores_done: 2_001 },
    })
  })
})

describe('embedding again with the same model', () => {
  test('embeds everything of all stores, or of one', async () => {
    const { app, models } = install()
    await fill(app, await app.signIn('one'), 40, 'a')
    await fill(app, await app.signIn('two'), 3, 'b')
    models.embedded.length = 0
    expect(await app.modelMoves.reindex(storeOf(app, 'two'))).toMatchObject({
      kind: 'reindex',
      stores: 1,
      products: 3,
    })
    await finish(app)
    expect(models.embedded.length).toBe(3)
    await app.modelMoves.reindex()
    await finish(app)
    expect(models.embedded.length).toBe(46)
    expect(app.modelMoves.status().move).toMatchObject({ state: 'done', stores_done: 2, products_done: 43 })
    expect(await search(app, '2', 'two')).toEqual(['b2'])
    expect(await codeOf(app.modelMoves.reindex('nobody'))).toBe('not_found')
  })

  test('names what cannot be had, which keeps its vector, and can be cancelled', async () => {
    const { app } = install()
    await fill(app, await app.signIn(), 3)
    app.web.delete(app.picture('p1', 1))
    await app.modelMoves.reindex()
    await work(app)
    app.clock.advance(1_000)
    expect(app.modelMoves.status().move).toMatchObject({ state: 'running', products_done: 3 })
    await finish(app, 1_000)
    expect(app.modelMoves.status().move).toMatchObject({ state: 'done', failed: 1 })
    expect(await search(app, '1')).toEqual(['p1'])
    await app.modelMoves.reindex()
    expect(await app.modelMoves.cancel()).toMatchObject({ kind: 'reindex', state: 'cancelled' })
    expect(countRows(app, 'model_move_stores')).toBe(0)
  })
})
