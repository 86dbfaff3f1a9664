import { afterEach, describe, expect, test } from 'bun:test'
import { OperatorError } from '../../../../src/core/operator-error.ts'
import type { TestApp } from '../../../support/app.ts'
import {
  countRows,
  fill,
  finish,
  type Models,
  NEXT,
  openInstall,
  search,
  startAgain,
  storeOf,
  THIRD,
  work,
} from './moving.ts'

const opened: TestApp[] = []

afterEach(async () => {
  for (const app of opened) app.modelMoves.stop()
  // They share the database of the first one.
  await opened.shift()?.close()
  opened.length = 0
})

function install() {
  const made = openInstall()
  opened.push(made.app)
  return made
}

function restart(app: TestApp, models: Models, ...world: Parameters<typeof startAgain>[2][]): TestApp {
  app.modelMoves.stop()
  const later = startAgain(app, models, world[0])
  opened.push(later)
  return later
}

/** From the nth picture on, a model never answers: whoever waits for it is as dead as after `kill -9`. */
function hangAfter(models: Models, model: string, pictures: number): { hangs: boolean } {
  const state = { hangs: false }
  let left = pictures
  models.stand = (name, embedder) =>
    name !== model
      ? embedder
      : {
          ...embedder,
          async embedPicture(bytes, options) {
            if (left-- > 0) return embedder.embedPicture(bytes, options)
            state.hangs = true
            return new Promise(() => {})
          },
        }
  return state
}

/** Works until the model hangs, or the move has ended. */
async function workUntil(app: TestApp, state: { hangs: boolean }): Promise<void> {
  const isRunning = () => app.modelMoves.status().move?.state === 'running'
  await app.modelMoves.wake()
  for (let n = 0; n < 1_000 && !state.hangs && isRunning(); n++) {
    app.clock.advance(100)
    if (n % 10 === 0) await app.modelMoves.wake()
    await new Promise((resolve) => setImmediate(resolve))
  }
  // What does not hang is done by now.
  for (let n = 0; n < 100; n++) await new Promise((resolve) => setImmediate(resolve))
}

const idle = (models: Models) => {
  models.stand = (_, embedder) => embedder
}

async function fillStores(app: TestApp): Promise<void> {
  await fill(app, await app.signIn('one'), 3, 'a')
  await fill(app, await app.signIn('two'), 6, 'b')
  await app.signIn('empty')
}

const expectSearches = async (app: TestApp) => {
  expect(await search(app, '2', 'one')).toEqual(['a2'])
  expect(await search(app, '5', 'two')).toEqual(['b5'])
}

describe('a service that is killed in the middle of a move', () => {
  for (const pictures of [0, 1, 4, 6, 8]) {
    test(`after ${pictures} pictures goes on where it was`, async () => {
      const { app, models } = install()
      await fillStores(app)
      const state = hangAfter(models, 'next', pictures)
      await app.modelMoves.use('next')
      await workUntil(app, state)
      const there = countRows(app, 'vectors_2')
      idle(models)
      models.embedded.length = 0
      const later = restart(app, models)
      expect(later.modelMoves.status()).toMatchObject({
        in_use: 'fake',
        move: { state: 'running', to: 'next' },
      })
      await expectSearches(later)
      await finish(later)
      expect(later.modelMoves.status()).toMatchObject({
        in_use: 'next',
        move: { stores_done: 3, products_done: 9 },
      })
      expect(models.embedded.length).toBe(9 - there)
      await expectSearches(later)
    })
  }

  for (const pictures of [0, 2]) {
    test(`that was cancelled, after ${pictures} pictures on the way back, leaves no store behind`, async () => {
      const { app, models } = install()
      await fillStores(app)
      const state = hangAfter(models, 'next', 7)
      await app.modelMoves.use('next')
      await workUntil(app, state)
      idle(models)
      const second = restart(app, models)
      // One that has come since has no vector of the former model.
      expect(second.models.of(storeOf(second, 'one')).embedder.model.id).toBe('next')
      const token = await second.signToken(
        { sub: storeOf(second, 'one'), jti: 'x', user_type: 'client' },
        3600,
      )
      await fill(second, token, 6, 'new')
      const back = hangAfter(models, 'fake', pictures)
      const third = restart(second, models)
      expect(await third.modelMoves.cancel()).toMatchObject({ is_returning: true, state: 'running' })
      expect(third.modelMoves.cancel()).rejects.toThrow('cancelled already')
      await workUntil(third, back)
      expect(back.hangs).toBe(true)
      idle(models)
      const last = restart(third, models)
      expect(last.modelMoves.status().move).toMatchObject({ is_returning: true, state: 'running' })
      await finish(last)
      expect(last.modelMoves.status()).toMatchObject({
        in_use: 'fake',
        move: { state: 'cancelled' },
        former: null,
      })
      expect(await search(last, '5', 'one')).toEqual(['new5'])
      expect(await search(last, '5', 'two')).toEqual(['b5'])
      for (let n = 0; n < 3; n++) await finish(last)
      expect([countRows(last, 'vectors_2'), countRows(last, 'store_models')]).toEqual([0, 0])
    })
  }
})

describe('a start', () => {
  test('with another model than the one in use moves to it', async () => {
    const { app, models } = install()
    await fillStores(app)
    const wanted = { ...NEXT, dir: '/models/next', bytes: 1, isBundled: false }
    const later = restart(app, models, { isDirSet: true, wanted })
    await expectSearches(later)
    await finish(later)
    expect(later.modelMoves.status()).toMatchObject({ in_use: 'next', former: { name: 'fake' } })
    for (const verb of [() => later.modelMoves.use('fake'), later.modelMoves.back])
      expect(verb()).rejects.toThrow('MODEL_DIR')
    await expectSearches(later)
  })

  test('in the middle of a move ends that one first', async () => {
    const { app, models } = install()
    await fillStores(app)
    const state = hangAfter(models, 'next', 5)
    await app.modelMoves.use('next')
    await workUntil(app, state)
    idle(models)
    const wanted = { ...THIRD, dir: '/models/third', bytes: 1, isBundled: false }
    const later = restart(app, models, { wanted })
    await finish(later)
    expect(later.modelMoves.status()).toMatchObject({ in_use: 'next' })
    await work(later)
    await finish(later)
    expect(later.modelMoves.status()).toMatchObject({ in_use: 'third', former: { name: 'next' } })
    await expectSearches(later)
  })

  test('without the files of the model that no store is on ends the move, and goes on as before', async () => {
    const { app, models } = install()
    await fill(app, await app.signIn('one'), 3, 'a')
    const state = hangAfter(models, 'next', 1)
    await app.modelMoves.use('next')
    await workUntil(app, state)
    idle(models)
    const later = restart(app, models, { findFolder: () => undefined })
    expect(later.modelMoves.status()).toMatchObject({ in_use: 'fake', move: { state: 'failed', to: 'next' } })
    expect(await search(later, '2', 'one')).toEqual(['a2'])
    await finish(later)
    expect(countRows(later, 'vectors_2')).toBe(0)
  })

  test('without the files of the model that a store is on says what to do', async () => {
    const { app, models } = install()
    await fillStores(app)
    const state = hangAfter(models, 'next', 7)
    await app.modelMoves.use('next')
    await workUntil(app, state)
    idle(models)
    expect(countRows(app, 'store_models')).toBeGreaterThan(0)
    expect(() => startAgain(app, models, { findFolder: () => undefined })).toThrow(OperatorError)
  })
})
