import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test'
import { DEFAULT_SETTINGS } from '../../../../src/features/stores/settings/service.ts'
import { type TestApp, testApp } from '../../../support/app.ts'

const PATH = '/v1/store/settings'
const DEFAULTS = { ...DEFAULT_SETTINGS, callback_secret_hint: null }

describe('the settings of a store (contract 4.13)', () => {
  let app: TestApp
  let token: string
  let made = 0
  beforeAll(() => {
    app = testApp()
  })
  afterAll(() => app.close())
  beforeEach(async () => {
    token = await app.signIn(`store-${made++}`)
  })

  const read = () => app.call('GET', PATH, { token })
  const change = (body: unknown) => app.call('PATCH', PATH, { token, body })

  test('have defaults', async () => {
    expect(await read()).toMatchObject({ status: 200, body: DEFAULTS })
  })

  test('change by name, and stay otherwise', async () => {
    const answer = await change({ duplicate_threshold: null, private_metadata: ['cost', 'cost', 'margin'] })
    const expected = { ...DEFAULTS, duplicate_threshold: null, private_metadata: ['cost', 'margin'] }
    expect([answer.status, answer.body]).toEqual([200, expected])
    expect((await change({ event_switches: { demo: true } })).body).toEqual({
      ...expected,
      event_switches: { reembedding: false, restore: false, demo: true },
    })
    expect((await change({ search_defaults: { threshold: 0.4 } })).body['search_defaults']).toEqual({
      threshold: 0.4,
      cutoff: null,
      category_boost: null,
      second_look: null,
      learn: null,
    })
    expect((await change({ search_defaults: { cutoff: 'auto' } })).body['search_defaults']).toEqual({
      threshold: 0.4,
      cutoff: 'auto',
      category_boost: null,
      second_look: null,
      learn: null,
    })
    const mapping = { product_id: 'Article', 'metadata.material': ['Material', 'Fabric'] }
    expect((await change({ feed_mapping: mapping })).body['feed_mapping']).toEqual(mapping)
    expect((await change({ feed_mapping: null, unmatched_thumbnails: true })).body).toMatchObject({
      feed_mapping: null,
      unmatched_thumbnails: true,
    })
    expect((await read()).body).toMatchObject({
      duplicate_threshold: null,
      unmatched_thumbnails: true,
      event_switches: { demo: true },
    })
  })

  test('are those of the store alone', async () => {
    await change({ private_metadata: ['cost'] })
    token = await app.signIn('another')
    expect((await read()).body).toEqual(DEFAULTS)
  })

  test('leave a row in the audit log that names the fields and no values', async () => {
    await change({ private_metadata: ['cost'], unmatched_thumbnails: true })
    const { body } = await app.call('GET', '/v1/security/audit', { token })
    expect((body['events'] as Record<string, unknown>[])[0]).toMatchObject({
      action: 'store.settings_changed',
      details: { fields: ['private_metadata', 'unmatched_thumbnails'] },
    })
  })

  test('cannot be given a hint, and refuse what they do not know', async () => {
    const refusals = [
      [{ callback_secret_hint: '…abcd' }, 'read only'],
      [{ curency: 'EUR' }, "did you mean 'currency'?"],
      [{ colour: 'red' }, 'known are duplicate_threshold, '],
      [{ name: 'Another name' }, 'PATCH /v1/store '],
      [{ event_switches: { demoo: true } }, "did you mean 'demo'?"],
      [{ search_defaults: { 'a/b': 1 } }, 'known are threshold, '],
    ] as const
    for (const [body, words] of refusals) {
      const answer = await change({ ...body, unmatched_thumbnails: true })
      expect([answer.status, answer.body['error']]).toEqual([422, 'validation_error'])
      expect(answer.body['message']).toContain(words)
    }
    expect((await read()).body).toEqual(DEFAULTS)
  })

  test('may be sent back as they were read', async () => {
    await change({ currency: 'EUR', private_metadata: ['cost'] })
    const { body } = await read()
    const answer = await change(body)
    expect([answer.status, answer.body]).toEqual([200, body])
  })

  test.each([
    [{ duplicate_threshold: 1.1 }, '/duplicate_threshold'],
    [{ duplicate_threshold: '0.9' }, '/duplicate_threshold'],
    [{ private_metadata: 'cost' }, '/private_metadata'],
    [{ private_metadata: Array.from({ length: 51 }, (_, n) => `k${n}`) }, '/private_metadata'],
    [{ private_metadata: [''] }, '/private_metadata/0'],
    [{ event_switches: { demo: 'yes' } }, '/event_switches/demo'],
    [{ event_switches: null }, '/event_switches'],
    [{ search_defaults: { cutoff: 'some' } }, '/search_defaults/cutoff'],
    [{ search_defaults: { category_boost: 0.6 } }, '/search_defaults/category_boost'],
    [{ feed_mapping: { product_id: 7 } }, '/feed_mapping/product_id'],
    [{ unmatched_thumbnails: 1 }, '/unmatched_thumbnails'],
  ])('refuse %j', async (body, pointer) => {
    const answer = await change(body)
    expect([answer.status, answer.body['error']]).toEqual([422, 'validation_error'])
    const { errors } = answer.body['details'] as { errors: { pointer: string }[] }
    expect(errors.map((problem) => problem.pointer)).toContain(pointer)
    expect((await read()).body).toEqual(DEFAULTS)
  })

  test('are what searches take that say nothing else', async () => {
    for (const n of [1, 2, 3]) {
      const body = { product_id: `p${n}`, image_url: app.picture(`p${n}`, n) }
      await app.call('POST', '/v1/products', { token, body })
    }
    const count = async (more = {}) => {
      const { body } = await app.call('POST', '/v1/search/text', { token, body: { query: '1', ...more } })
      return body['count']
    }
    expect(await count()).toBe(3)
    await change({ search_defaults: { threshold: 0.9 } })
    expect(await count()).toBe(1)
    expect(await count({ threshold: 0 })).toBe(3)
    await change({ search_defaults: { threshold: null } })
    expect(await count()).toBe(3)
    await change({ search_defaults: { cutoff: 'auto' } })
    expect(await count()).toBe(1)
    expect(await count({ cutoff: 'none' })).toBe(3)
  })

  test('hold for the steering by category, too', async () => {
    for (const category of ['mugs', 'lamps']) {
      const body = { product_id: category, image_url: app.picture(category, 1), metadata: { category } }
      await app.call('POST', '/v1/products', { token, body })
    }
    const legs = async (more = {}) => {
      const { body } = await app.call('POST', '/v1/search/text', {
        token,
        body: { query: 'mugs', explain: true, ...more },
      })
      const results = body['results'] as { explain: { legs: { category: number } } }[]
      return results.map(({ explain }) => explain.legs.category)
    }
    expect((await legs()).some((loss) => loss < 0)).toBe(true)
    await change({ search_defaults: { category_boost: 0 } })
    expect((await legs()).every((loss) => loss === 0)).toBe(true)
    expect((await legs({ category_boost: 0.1 })).some((loss) => loss < 0)).toBe(true)
  })
})
