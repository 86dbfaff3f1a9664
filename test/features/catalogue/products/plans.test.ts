import { expect, test } from 'bun:test'
import { testApp } from '../../../support/app.ts'
import { memoryDatabase } from '../../../support/database.ts'
import { statementLog } from '../../../support/statements.ts'

/** What may be read whole: values of the statement itself. The vectors say SCAN for one row id, too. */
const SMALL = /^SCAN (CONSTANT ROW|json_each|vectors_\d+ VIRTUAL TABLE)/

test('no write of a product reads more of a large store than its own rows', async () => {
  const db = memoryDatabase()
  const log = statementLog(db)
  const app = testApp({ db })
  const token = await app.signIn()
  const call = (method: string, path: string, body?: object) =>
    app.call(method, path, { token, ...(body && { body }) })
  const picture = app.picture('a', 1)
  const ran = await log.during(async () => {
    const product = {
      product_id: 'a',
      image_url: picture,
      metadata: { name: 'Mug', category: 'Mugs', price: 1 },
    }
    const further = { ...product, product_id: 'b', additional_image_urls: [app.picture('b', 2)] }
    for (const body of [product, further, product]) {
      const { status } = await call('POST', '/v1/products', body)
      expect([200, 201]).toContain(status)
    }
    const { product_id: _, ...replacing } = further
    expect((await call('PUT', '/v1/products/a', replacing)).status).toBe(200)
    expect((await call('PATCH', '/v1/products/a', { metadata: { price: 2 } })).status).toBe(200)
    expect((await call('DELETE', '/v1/products/b')).status).toBe(200)
  })
  const plans = [...new Set(ran)]
    .filter((sql) => /^(SELECT|INSERT|UPDATE|DELETE|WITH|REPLACE)\b/i.test(sql))
    .flatMap((sql) => {
      const steps = db
        .prepare<[], { detail: string }>(`EXPLAIN QUERY PLAN ${sql.replace(/\?|@\w+/g, '1')}`)
        .all()
      return steps.map(({ detail }) => ({ detail, sql }))
    })
  expect(plans.length).toBeGreaterThan(10)
  // An index by model and store alone leads to all pictures of the store.
  const wide = plans.filter(
    ({ detail }) => /pictures_model\b/.test(detail) || (/^SCAN /.test(detail) && !SMALL.test(detail)),
  )
  expect(wide).toEqual([])
  await app.close()
})
