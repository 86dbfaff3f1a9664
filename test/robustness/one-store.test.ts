import { afterAll, afterEach, beforeEach, expect, test } from 'bun:test'
import { DAY_MS } from '../../src/core/clock.ts'
import { productsOf, startBulk } from '../features/catalogue/jobs/jobs.ts'
import { type TestApp, testApp } from '../support/app.ts'
import { recordBar } from './bars.ts'

/**
 * A bug that meets one store alone is played by a trigger: its error is no fault of the disk, and nobody knows it. The loops
 * must go on with the other store at the same moment. The feeds have theirs in `features/catalogue/product-feeds/failures.test.ts`.
 */
let app: TestApp
let broken: { id: string; token: string }
let other: { id: string; token: string }

const passed: string[] = []
const LOOPS = 5
afterAll(() => {
  if (passed.length === 0) return
  const measured = `${passed.join(', ')}: the other store went on in the same moment`
  recordBar({
    bar: 44,
    part: 'loops',
    on: 'process',
    n: passed.length,
    measured,
    isMet: passed.length === LOOPS,
  })
})

beforeEach(async () => {
  app = testApp()
  // The broken one comes first wherever stores are taken in the order of their ids.
  const open = async (name: string) => {
    const token = await app.signIn(name)
    return { token, id: app.stores.requireBySlug(name).id }
  }
  broken = await open('broken')
  other = await open('other')
})
afterEach(() => app.close())

const breakStore = (when: string, condition: string) =>
  app.db.exec(
    `CREATE TEMP TRIGGER bug BEFORE ${when} WHEN ${condition} BEGIN SELECT raise(ABORT, 'a bug'); END`,
  )
const chore = async (name: string) => {
  await app.chores.find((each) => each.name === name)?.run()
}

test('jobs', async () => {
  breakStore(
    'UPDATE OF state ON job_items',
    `NEW.state = 'running' AND (SELECT store_id FROM jobs WHERE id = NEW.job) = '${broken.id}'`,
  )
  const stuck = await startBulk(app, broken.token, productsOf(app, 3, 'broken'))
  const job = await startBulk(app, other.token, productsOf(app, 3, 'other'))
  await app.jobs.waitUntilOver(other.id, job)
  expect(app.services.jobs.summarise(other.id, job)).toMatchObject({ succeeded: 3 })
  expect(app.services.jobs.summarise(broken.id, stuck)).toMatchObject({ processed: 0 })
  // Once the bug is gone, so is its effect.
  app.db.exec('DROP TRIGGER bug')
  app.clock.advance(10_000)
  app.jobs.wake()
  await app.jobs.waitUntilOver(broken.id, stuck)
  expect(app.services.jobs.summarise(broken.id, stuck)).toMatchObject({ succeeded: 3 })
  passed.push('jobs')
})

test('the deletion of stores', async () => {
  for (const { id } of [broken, other]) {
    app.db.prepare('UPDATE stores SET suspended_at = 1, delete_at = 1 WHERE id = ?').run(id)
  }
  breakStore('DELETE ON stores', `OLD.id = '${broken.id}'`)
  const left = () => app.db.prepare('SELECT id FROM stores').pluck().all()
  await chore('deleting stores')
  expect(left()).toEqual([broken.id])
  app.db.exec('DROP TRIGGER bug')
  await chore('deleting stores')
  expect(left()).toEqual([])
  passed.push('deletion of stores')
})

test('packing', async () => {
  const day = Math.floor(app.clock.now() / DAY_MS) - 5
  for (const { id } of [broken, other]) {
    app.db.prepare('INSERT INTO tallies (store_id, kind, day, item, a) VALUES (?, 5, ?, 1, 1)').run(id, day)
  }
  breakStore('INSERT ON tally_packs', `NEW.store_id = '${broken.id}'`)
  const packs = () => app.db.prepare('SELECT store_id FROM tally_packs ORDER BY store_id').pluck().all()
  await chore('compacting the counts of past days')
  expect(packs()).toEqual([other.id])
  app.db.exec('DROP TRIGGER bug')
  await chore('compacting the counts of past days')
  expect(packs()).toEqual([broken.id, other.id].toSorted())
  passed.push('packing')
})

test('webhooks', async () => {
  for (const { token } of [broken, other]) {
    const body = {
      url: `https://hooks.test/${token === broken.token ? 'broken' : 'other'}`,
      events: ['product.indexed'],
    }
    expect((await app.call('POST', '/v1/search/webhooks', { token, body })).status).toBe(200)
  }
  breakStore('UPDATE ON deliveries', `NEW.store_id = '${broken.id}'`)
  for (const { token } of [broken, other]) {
    const body = { product_id: 'p', image_url: app.picture('p', 1) }
    expect((await app.call('POST', '/v1/products', { token, body })).status).toBe(201)
  }
  await app.services.webhooks.drain()
  expect(app.posts.filter(({ url }) => url.endsWith('/other'))).toHaveLength(1)
  passed.push('webhooks')
})

test('the maps of unmet demand', async () => {
  const model = app.db.prepare('SELECT id FROM models').pluck().get()
  for (const { id } of [broken, other]) {
    app.db
      .prepare(
        'INSERT INTO unmet_searches (search_id, store_id, model, vector, score, created_at) VALUES (?, ?, ?, ?, NULL, ?)',
      )
      .run(`s-${id}`, id, model, Buffer.alloc(16, 1), app.clock.now())
  }
  breakStore('INSERT ON unmet_maps', `NEW.store_id = '${broken.id}'`)
  const maps = () => app.db.prepare('SELECT store_id FROM unmet_maps ORDER BY store_id').pluck().all()
  await chore('mapping unmet demand')
  expect(maps()).toEqual([other.id])
  app.db.exec('DROP TRIGGER bug')
  await chore('mapping unmet demand')
  expect(maps()).toEqual([broken.id, other.id].toSorted())
  passed.push('maps of demand')
})
