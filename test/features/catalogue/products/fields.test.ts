import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { DAY_MS, HOUR_MS, isoTime } from '../../../../src/core/clock.ts'
import { fold } from '../../../../src/core/text.ts'
import { type TestApp, testApp } from '../../../support/app.ts'

let app: TestApp
let token: string

const put = async (id: string, metadata: object) => {
  const body = { product_id: id, image_url: app.picture('same', 1), metadata }
  const answer = await app.call('POST', '/v1/products', { token, body })
  expect(answer.status).toBeLessThan(202)
}
const ids = (found: unknown): string[] =>
  (found as { product_id: string }[]).map(({ product_id }) => product_id)
const list = async (query: string) => {
  const { status, body } = await app.call('GET', `/v1/products?limit=100&${query}`, { token })
  expect(status).toBe(200)
  return body
}
const search = async (body: object) => {
  const answer = await app.call('POST', '/v1/search/filtered', { token, body: { limit: 100, ...body } })
  expect(answer.status).toBe(200)
  return answer.body
}
const found = async (body: object): Promise<string[]> => ids((await search(body))['results']).sort()
const warnings = async (body: object): Promise<unknown> => (await search(body))['warnings']

let client: { client_id: string; client_secret: string }
const sign = async () => {
  const body = new URLSearchParams({ grant_type: 'client_credentials', ...client })
  token = String((await app.call('POST', '/oauth/token', { body })).body['access_token'])
}
/** Lets time go by; a token does not last so long. */
const advance = async (ms: number) => {
  app.clock.advance(ms)
  await sign()
}

beforeEach(async () => {
  app = testApp()
  const { client_id, client_secret } = await app.store()
  client = { client_id, client_secret }
  await sign()
})
afterEach(() => app.close())

describe('what is paid', () => {
  const at = (days: number) => isoTime(app.clock.now() + days * DAY_MS)

  test('is the lower price of a sale while its dates hold, everywhere by that moment', async () => {
    await put('plain', { price: 50 })
    await put('sale', { price: 80, sale_price: 40 })
    await put('dearer', { price: 30, sale_price: 90 })
    await put('soon', { price: 100, sale_price: 10, sale_price_from: at(1), sale_price_until: at(2) })
    await put('never', { price: 70, sale_price: 5, sale_price_until: at(-1) })
    await put('free', {})
    const sorted = async (sort: string) => ids((await list(`sort=${sort}`))['products'])
    const look = async () => [
      await sorted('price_asc'),
      ids((await search({ sort: 'price_asc' }))['results']),
      await found({ price_max: 45 }),
      ((await search({ facets: ['price'] }))['facets'] as Record<string, unknown>)['price'],
    ]
    const before = ['dearer', 'sale', 'plain', 'never', 'soon', 'free']
    expect(await look()).toEqual([before, before, ['dearer', 'sale'], { min: 30, max: 100 }])
    await advance(DAY_MS)
    const during = ['soon', 'dearer', 'sale', 'plain', 'never', 'free']
    expect(await look()).toEqual([during, during, ['dearer', 'sale', 'soon'], { min: 10, max: 70 }])
    expect(await sorted('price_desc')).toEqual(['never', 'plain', 'sale', 'dearer', 'soon', 'free'])
    await advance(DAY_MS)
    expect(await look()).toEqual([before, before, ['dearer', 'sale'], { min: 30, max: 100 }])
    // The field itself does not change.
    const above = { filters: [{ field: 'price', operator: 'gte', value: 75 }] }
    expect(await found(above)).toEqual(['sale', 'soon'])
  })

  test('a day alone holds to its end', async () => {
    await put('a', { price: 9, sale_price: 3, sale_price_from: '2030-01-01', sale_price_until: '2030-01-01' })
    expect(await found({ price_max: 5 })).toEqual(['a'])
    await advance(DAY_MS - 1)
    expect(await found({ price_max: 5 })).toEqual(['a'])
    await advance(1)
    expect(await found({ price_max: 5 })).toEqual([])
  })

  test('many sales of one moment are turned in steps, by the chore too', async () => {
    for (let n = 0; n < 230; n++) await put(`p${n}`, { price: 90, sale_price: n, sale_price_from: at(1) })
    await advance(2 * DAY_MS)
    const due = app.db
      .prepare<[], number>('SELECT count(*) FROM products WHERE price_turns_at IS NOT NULL')
      .pluck()
    expect(due.get()).toBe(90)
    expect(ids((await list('sort=price_asc'))['products'])[0]).toBe('p0')
    expect(due.get()).toBe(0)
    await put('x', { price: 90, sale_price: 1, sale_price_until: at(1) })
    await advance(2 * DAY_MS)
    await app.tidy()
    expect(due.get()).toBe(0)
  })

  test('says the same as a naive look at each product, at every moment', async () => {
    const offset = fc.option(fc.integer({ min: -3, max: 3 }), { nil: undefined })
    const price = fc.option(fc.integer({ min: 0, max: 6 }), { nil: undefined })
    const product = fc.record({ price, sale: price, from: offset, until: offset })
    await fc.assert(
      fc.asyncProperty(fc.array(product, { minLength: 1, maxLength: 8 }), async (products) => {
        const start = app.clock.now()
        const time = (offset: number | undefined) =>
          offset === undefined ? undefined : isoTime(start + offset * HOUR_MS)
        for (const [n, { price, sale, from, until }] of products.entries()) {
          const metadata = {
            ...{ n, price, sale_price: sale, sale_price_from: time(from), sale_price_until: time(until) },
          }
          await put(`p${n}`, JSON.parse(JSON.stringify(metadata)))
        }
        const paid = ({ price, sale, from, until }: (typeof products)[number], hour: number) => {
          const isOn = (from ?? -9) <= hour && hour < (until ?? 9)
          return price !== undefined && sale !== undefined && sale < price && isOn ? sale : price
        }
        for (let hour = 0; hour < 5; hour++) {
          const now = products.map((one) => paid(one, hour))
          for (const [min, max] of [
            [0, 2],
            [2, 4],
          ] as const) {
            const wanted = now.flatMap((one, n) =>
              one !== undefined && one >= min && one <= max ? [`p${n}`] : [],
            )
            expect(await found({ price_min: min, price_max: max })).toEqual(wanted)
          }
          const order = ids((await list('sort=price_asc'))['products']).map(
            (id) => now[Number(id.slice(1))] ?? 99,
          )
          expect(order).toEqual([...order].sort((a, b) => a - b))
          const prices = now.filter((one) => one !== undefined)
          const { facets } = (await search({ facets: ['price'] })) as { facets: Record<string, unknown> }
          expect(facets['price']).toEqual(
            prices.length > 0 ? { min: Math.min(...prices), max: Math.max(...prices) } : [],
          )
          await advance(HOUR_MS)
        }
        for (const n of products.keys()) await app.call('DELETE', `/v1/products/p${n}`, { token })
      }),
      { numRuns: 15 },
    )
  })

  test('rows of an older version are right after the next start', async () => {
    await put('sale', { price: 80, sale_price: 40, category: 'Caps', category_path: ['Hats', 'Hats > Caps'] })
    await put('gone', { category: 'Cups', availability: 'https://schema.org/OutOfStock' })
    await put('here', { category: 'Cups' })
    app.db.exec(
      `UPDATE products SET price = 80, regular_price = NULL, sale = NULL, levels = NULL, sold_out = 0, is_unfolded = 1`,
    )
    app.loadIndex()
    expect(await found({ category: 'Cups', sold_out: 'hide' })).toEqual(['here'])
    expect(await found({ price_max: 45, category: 'hats' })).toEqual(['sale'])
    expect(ids((await list('category=Hats'))['products'])).toEqual(['sale'])
  })
})

describe('category_path', () => {
  const clothes = async () => {
    const hoodie = { category: 'Hoodies', category_path: ['Clothing', 'Clothing > Hoodies'] }
    await put('hoodie', hoodie)
    await put('tee', { category: 'Tees', category_path: ['Clothing', 'Clothing > Tees'], brand: 'Acme' })
    await put('other', { category: 'clothing', brand: 'Acme' })
    await put('mug', { category: 'Mugs', category_path: ['Kitchen > Mügs'] })
    await put('odd', { category: 'Odds>Ends', category_path: ['Odds > Ends'] })
  }

  test('a category is found by its name, by the name of each level, and by a path', async () => {
    await clothes()
    const answers: Record<string, string[]> = {
      Clothing: ['hoodie', 'other', 'tee'],
      'CLÓTHING ': ['hoodie', 'other', 'tee'],
      Hoodies: ['hoodie'],
      'clothing>hoodies': ['hoodie'],
      'Clothing > Tees': ['tee'],
      Kitchen: ['mug'],
      mugs: ['mug'],
      'Kitchen > Mugs': ['mug'],
      'Tees > Clothing': [],
      'Odds>Ends': ['odd'],
    }
    for (const [category, wanted] of Object.entries(answers)) {
      expect([category, await found({ category })]).toEqual([category, wanted])
      const listed = await list(`category=${encodeURIComponent(category)}&sort=name`)
      expect([category, ids(listed['products']).sort(), listed['total']]).toEqual([
        ...[category, wanted, wanted.length],
      ])
      const filters = [{ field: 'category', operator: 'eq', value: category }]
      expect([category, await found({ filters })]).toEqual([category, wanted])
      const { body } = await app.call('DELETE', '/v1/products', { token, body: { filters, dry_run: true } })
      expect([category, (body['product_ids'] as string[]).toSorted()]).toEqual([category, wanted])
    }
    const byBrand = await list('category=Clothing&brand=acme&sort=newest')
    expect(ids(byBrand['products'])).toEqual(['other', 'tee'])
    expect((await search({ facets: ['category'] }))['facets']).toEqual({
      category: ['Hoodies', 'Mugs', 'Odds>Ends', 'Tees', 'clothing'].map((value) => ({ value, count: 1 })),
    })
  })

  test('what changes or goes leaves nothing behind', async () => {
    await clothes()
    await put('hoodie', { category: 'Hoodies' })
    expect(await found({ category: 'Clothing' })).toEqual(['other', 'tee'])
    await app.call('DELETE', '/v1/products/tee', { token })
    expect(await found({ category: 'Clothing' })).toEqual(['other'])
    expect(ids((await list('category=Clothing'))['products'])).toEqual(['other'])
    const rows = app.db.prepare<[], number>('SELECT count(*) FROM product_levels').pluck()
    for (const id of ['mug', 'odd']) await app.call('DELETE', `/v1/products/${id}`, { token })
    expect(rows.get()).toBe(0)
  })

  test('another store has levels of its own', async () => {
    await clothes()
    const other = await app.signIn('two')
    const body = { category: 'Clothing' }
    expect((await app.call('POST', '/v1/search/filtered', { token: other, body })).body['results']).toEqual(
      [],
    )
    expect((await app.call('GET', '/v1/products?category=Clothing', { token: other })).body['total']).toBe(0)
  })

  test('a level that is misspelt is proposed', async () => {
    await clothes()
    await app.call('DELETE', '/v1/products/other', { token })
    expect(await warnings({ category: 'Clohting' })).toEqual([
      "no product has the category 'Clohting'; did you mean 'Clothing'?",
    ])
    expect(await warnings({ filters: [{ field: 'category', operator: 'eq', value: 'Clohting' }] })).toEqual([
      "category 'Clohting' occurs in 0 products; did you mean 'Clothing'?",
    ])
  })

  test('says the same as a naive look at each product', async () => {
    const name = fc.constantFrom('A', 'b', 'Ç', 'a b', '"q"', "it's", '\\', ',', '日本')
    const path = fc.array(name, { minLength: 1, maxLength: 3 }).map((names) => names.join(' > '))
    const product = fc.record({
      category: fc.option(name, { nil: undefined }),
      category_path: fc.array(path, { maxLength: 3 }),
    })
    const split = (text: string) => text.split('>').map((part) => fold(part))
    const holds = (
      { category, category_path }: { category?: string | undefined; category_path: string[] },
      wanted: string,
    ) =>
      (category !== undefined && fold(category) === fold(wanted)) ||
      category_path.some((one) => {
        const [levels, asked] = [split(one), split(wanted)]
        const isName = asked.length === 1 && levels.includes(asked[0] as string)
        return isName || asked.every((part, n) => part === levels[n])
      })
    await fc.assert(
      fc.asyncProperty(
        fc.array(product, { maxLength: 6 }),
        fc.array(fc.oneof(name, path), { minLength: 3, maxLength: 6 }),
        async (products, asked) => {
          for (const [n, metadata] of products.entries())
            await put(`p${n}`, JSON.parse(JSON.stringify(metadata)))
          for (const wanted of asked) {
            const right = products.flatMap((one, n) => (holds(one, wanted) ? [`p${n}`] : []))
            expect(await found({ category: wanted })).toEqual(right)
            expect(await found({ filters: [{ field: 'category', operator: 'eq', value: wanted }] })).toEqual(
              right,
            )
            expect(
              await found({ filters: [{ field: 'category', operator: 'in', value: [wanted, 'zzz'] }] }),
            ).toEqual(right)
            for (const sort of ['newest', 'price_asc'])
              expect(
                ids((await list(`sort=${sort}&category=${encodeURIComponent(wanted)}`))['products']).sort(),
              ).toEqual(right)
          }
          for (const n of products.keys()) await app.call('DELETE', `/v1/products/p${n}`, { token })
        },
      ),
      { numRuns: 20 },
    )
  })
})
