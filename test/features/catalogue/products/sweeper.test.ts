import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { createPictureFiles } from '../../../../src/platform/pictures/kept.ts'
import { type TestApp, testApp } from '../../../support/app.ts'
import { listFiles } from '../../../support/state.ts'
import { keptBytes, openStore, putPicture, sized } from '../../../support/storage.ts'

const MINUTE = 60_000

let app: TestApp
let token: string
let storeId: string

beforeEach(async () => {
  app = testApp()
  const store = await openStore(app)
  token = store.token
  storeId = store.storeId
})
afterEach(() => app.close())

const put = (id: string, bytes: Uint8Array<ArrayBuffer>, of = app, as = token) =>
  putPicture(of, as, id, bytes)
const counted = (of = app, id = storeId): number => keptBytes(of, id)

async function sweepAfter(ms: number): Promise<void> {
  await app.sweepPictures()
  app.clock.advance(ms)
  await app.sweepPictures()
}

describe('the sweeper', () => {
  test('a file that cannot be deleted is tried again a minute later, and keeps no other', async () => {
    const files = createPictureFiles(app.folder, () => app.ids.uuid())
    let isBroken = true
    const broken: string[] = []
    const failing = testApp({
      files: {
        ...files,
        async remove(name) {
          if (isBroken && broken.length === 0) {
            broken.push(name)
            throw Object.assign(new Error('input/output error'), { code: 'EIO' })
          }
          await files.remove(name)
        },
      },
    })
    const store = await openStore(failing, 'enterprise')
    for (const n of [1, 2, 3]) await put(`p${n}`, sized(100, n), failing, store.token)
    for (const n of [1, 2, 3]) await failing.call('DELETE', `/v1/products/p${n}`, { token: store.token })
    await failing.sweepPictures()
    failing.clock.advance(MINUTE)
    expect(failing.sweepPictures()).rejects.toThrow('input/output error')
    await failing.sweepPictures().catch(() => undefined)
    expect([listFiles(app), counted(failing, store.storeId)]).toEqual([broken, 0])
    isBroken = false
    failing.clock.advance(MINUTE)
    await failing.sweepPictures()
    expect(listFiles(app)).toEqual([])
    expect(failing.db.prepare('SELECT count(*) AS n FROM released_pictures').get()).toEqual({ n: 0 })
    await failing.close()
  })

  test('a clock that was set back keeps nothing for longer than a minute', async () => {
    await put('p', sized(100))
    await app.call('DELETE', '/v1/products/p', { token })
    await app.sweepPictures()
    app.clock.advance(-24 * 60 * MINUTE)
    await app.sweepPictures()
    await sweepAfter(MINUTE)
    await sweepAfter(MINUTE)
    expect([counted(), listFiles(app)]).toEqual([0, []])
  })

  test('hundreds at once go in one sweep, and pictures in use stay', async () => {
    const store = await openStore(app, 'enterprise', 'two')
    for (let n = 0; n < 120; n++) await put(`p${n}`, sized(60, n), app, store.token)
    for (let n = 0; n < 115; n++) await app.call('DELETE', `/v1/products/p${n}`, { token: store.token })
    // The loop turns between the steps.
    let turns = 0
    let isOver = false
    const turn = () => {
      turns++
      if (!isOver) setImmediate(turn)
    }
    setImmediate(turn)
    await app.sweepPictures()
    expect(turns).toBeGreaterThan(2)
    app.clock.advance(MINUTE)
    await app.sweepPictures()
    isOver = true
    expect([counted(app, store.storeId), listFiles(app).length]).toEqual([5 * 60, 5])
    expect(app.db.prepare('SELECT count(*) AS n FROM released_pictures').get()).toEqual({ n: 0 })
  })

  test('a picture that a product takes again is kept', async () => {
    await put('p', sized(100))
    const { body } = await app.call('GET', '/v1/products/p', { token })
    await app.call('DELETE', '/v1/products/p', { token })
    await app.sweepPictures()
    app.clock.advance(MINUTE - 1)
    await app.call('POST', '/v1/products', { token, body: { product_id: 'q', image_url: body['image_url'] } })
    app.clock.advance(1)
    await app.sweepPictures()
    await sweepAfter(10 * MINUTE)
    expect(listFiles(app)).toHaveLength(1)
  })

  test('an address that a product gives up for another one of the same content is let go', async () => {
    await put('p', sized(100))
    app.web.set('https://img.test/same.jpg', sized(100))
    expect(
      (await app.call('PATCH', '/v1/products/p', { token, body: { image_url: 'https://img.test/same.jpg' } }))
        .body['message'],
    ).toBe('updated')
    await sweepAfter(MINUTE)
    expect([counted(), listFiles(app)]).toEqual([0, []])
  })
})
