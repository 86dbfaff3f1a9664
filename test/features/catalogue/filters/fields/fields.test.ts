import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import {
  createFieldCounter,
  describeField,
} from '../../../../../src/features/catalogue/filters/fields/counter.ts'
import type { StoreFields } from '../../../../../src/features/catalogue/filters/fields/schema.ts'
import { fieldsService } from '../../../../../src/features/catalogue/filters/fields/service.ts'
import { type TestApp, testApp } from '../../../../support/app.ts'
import { refusal } from '../../../../support/people.ts'
import { makeKey, widgetHeaders } from '../../../discovery/widget/widget-shop.ts'

let app: TestApp
let token: string

beforeEach(async () => {
  app = testApp()
  token = await app.signIn('one')
})
afterEach(() => app.close())

const put = (product_id: string, metadata: object) =>
  app.call('POST', '/v1/products', {
    token,
    body: { product_id, image_url: app.picture(product_id, 1), metadata },
  })
const read = async (as = token) =>
  (await app.call('GET', '/v1/store/fields', { token: as })).body as unknown as StoreFields

describe('the fields of a store (contract 4.15)', () => {
  test('an empty store has none', async () => {
    expect(await read()).toEqual({
      ...{ fields: [], has_all_fields: true, products: 0 },
      counted_at: '2030-01-01T00:00:00.000Z',
    })
  })

  test('names, types, products and the most frequent values, nested fields and lists included', async () => {
    await put('a', {
      brand: 'Acme',
      cost: 10,
      tags: ['new', 'red', 'new'],
      size: { eu: 42 },
      in_stock: true,
    })
    await put('b', { brand: 'ACME', cost: 7.5, tags: ['red'], size: { eu: '43' }, gone: null })
    await put('c', { brand: 'Acme', cost: 'on request' })
    await put('d', { brand: 'Zed' })
    const { fields, products } = await read()
    expect(products).toBe(4)
    const none = { min: null, max: null, has_all_values: true }
    expect(fields).toEqual([
      {
        ...{ field: 'brand', type: 'text', products: 4, ...none },
        values: [
          { value: 'Acme', count: 3 },
          { value: 'Zed', count: 1 },
        ],
      },
      {
        ...{ field: 'cost', type: 'mixed', products: 3, min: 7.5, max: 10, has_all_values: true },
        values: [
          { value: 10, count: 1 },
          { value: 7.5, count: 1 },
          { value: 'on request', count: 1 },
        ],
      },
      { field: 'size', type: 'object', products: 2, ...none, values: [] },
      {
        ...{ field: 'size.eu', type: 'mixed', products: 2, min: 42, max: 42, has_all_values: true },
        values: [
          { value: 42, count: 1 },
          { value: '43', count: 1 },
        ],
      },
      {
        ...{ field: 'tags', type: 'list', products: 2, ...none },
        values: [
          { value: 'red', count: 2 },
          { value: 'new', count: 1 },
        ],
      },
      { field: 'in_stock', type: 'boolean', products: 1, ...none, values: [{ value: true, count: 1 }] },
    ])
  })

  test('a change is seen after 10 seconds at the latest; without a change nothing is counted again', async () => {
    await put('a', { brand: 'Acme' })
    await read()
    await put('b', { brand: 'Acme' })
    expect((await read()).products).toBe(1)
    app.clock.advance(10_000)
    expect(await read()).toMatchObject({ products: 2, counted_at: '2030-01-01T00:00:10.000Z' })
    app.clock.advance(600_000)
    expect((await read()).counted_at).toBe('2030-01-01T00:00:10.000Z')
    await app.call('DELETE', '/v1/products/a', { token })
    expect((await read()).products).toBe(1)
  })

  test('a store that takes long to count is counted for a hundredth of the time', async () => {
    const clock = { at: 0, now: () => clock.at, monotonic: () => clock.at }
    let changes = 0
    const fields = fieldsService({
      queries: { prepareMetadata: () => () => [] },
      walks: {
        async alongStore() {
          clock.at += 300
        },
        async alongItems() {},
      },
      clock,
      readState: () => ({ change: changes++, others: 1 }),
    })
    const countedAt = async (at: number) => {
      clock.at = at
      return (await fields.read('one')).counted_at
    }
    const first = await countedAt(0)
    expect(await countedAt(29_999)).toBe(first)
    expect(await countedAt(30_000)).toBe('1970-01-01T00:00:30.000Z')
  })

  test('requests that come together wait for one count', async () => {
    let walked = 0
    const fields = fieldsService({
      queries: { prepareMetadata: () => () => ['{"a":1}'] },
      walks: {
        async alongStore(_storeId, _scope, visit) {
          walked++
          await Promise.resolve()
          visit({ after: { time: 0, id: '' }, until: undefined })
        },
        async alongItems(items, visit) {
          for (const item of items) visit(item)
        },
      },
      clock: { now: () => 0, monotonic: () => 0 },
      readState: () => ({ change: 1, others: 1 }),
    })
    await Promise.all([fields.read('one'), fields.read('one'), fields.read('two')])
    expect(walked).toBe(2)
  })

  test('private fields are in it, and no widget key reads it', async () => {
    await put('a', { margin: 3 })
    const body = { private_metadata: ['margin'] }
    await app.call('PATCH', '/v1/store/settings', { token, body })
    expect((await read()).fields.map(({ field }) => field)).toEqual(['margin'])
    const { key } = await makeKey(app, token)
    const answer = await app.call('GET', '/v1/store/fields', { headers: widgetHeaders(key) })
    expect(refusal(answer)).toEqual([401, 'unauthorized'])
  })

  test('shows nothing of another store', async () => {
    await put('a', { brand: 'Acme' })
    expect(await read(await app.signIn('two'))).toMatchObject({ fields: [], products: 0 })
  })
})

describe('the count of fields', () => {
  const finish = (counter: ReturnType<typeof createFieldCounter>) => {
    const { fields, ...rest } = counter.finish()
    return { ...rest, fields: fields.map(describeField) }
  }

  test('is bounded: fields, values, elements and lengths', () => {
    const counter = createFieldCounter()
    for (let n = 0; n < 3_000; n++)
      counter.add({ name: `Product ${n}`, kind: n % 2 ? 'a' : 'b', [`own_${n}`]: n, text: 'x'.repeat(101) })
    counter.add({ tags: Array.from({ length: 1_000 }, (_, n) => n) })
    const { fields, hasAllFields, products } = finish(counter)
    expect([fields.length, hasAllFields, products]).toEqual([200, false, 3_001])
    expect(fields[0]).toMatchObject({
      ...{ field: 'kind', products: 3_000, has_all_values: true },
      values: [
        { value: 'a', count: 1_500 },
        { value: 'b', count: 1_500 },
      ],
    })
    expect(fields[1]).toMatchObject({ field: 'name', products: 3_000, values: [], has_all_values: false })
    expect(fields[2]).toMatchObject({ field: 'text', values: [], has_all_values: false })
  })

  test('of very many values that repeat, those that came first are counted', () => {
    const counter = createFieldCounter()
    for (let n = 0; n < 10_000; n++) counter.add({ designer: n < 8_000 ? n % 1_999 : n })
    const designer = finish(counter).fields[0]
    expect(designer).toMatchObject({ products: 10_000, min: 0, max: 9_999, has_all_values: false })
    expect(designer?.values).toHaveLength(20)
    expect(designer?.values[0]).toEqual({ value: 0, count: 5 })
  })

  test('an object that is too deep, and names that are too long, are left out', () => {
    const counter = createFieldCounter()
    counter.add({ a: { b: { c: { d: { e: { f: 1 } } } } }, ['n'.repeat(101)]: 1 })
    const { fields, hasAllFields } = finish(counter)
    expect(fields.map(({ field }) => field)).toEqual(['a', 'a.b', 'a.b.c', 'a.b.c.d', 'a.b.c.d.e'])
    expect(hasAllFields).toBe(false)
  })

  test('spellings that differ in case and accents are one value, shown as most write it', () => {
    const counter = createFieldCounter()
    for (const colour of ['Rosé', 'rose', 'rose', 'ROSE', ' ']) counter.add({ colour })
    expect(finish(counter).fields[0]?.values).toEqual([{ value: 'rose', count: 4 }])
  })
})
