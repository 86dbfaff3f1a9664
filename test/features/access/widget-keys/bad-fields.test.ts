import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { type TestApp, testApp } from '../../../support/app.ts'
import { pointersOf } from '../api-keys/answers.ts'
import { machineToken } from '../api-keys/keys.ts'

const PATH = '/v1/security/public-keys'
const WIDGET = { name: 'Shop', origins: ['https://shop.example'] }

/** One for all tests of a method, which change nothing in it. */
let app: TestApp
let storeId: string
/** The machine grant of the store. */
let token: string

async function start(): Promise<void> {
  app = testApp()
  storeId = (await app.store()).store_id
  token = await machineToken(app, storeId)
}

const create = (body: unknown) => app.call('POST', PATH, { token, body })

const BAD_FIELDS: [what: string, fields: object, pointers: string[]][] = [
  ['an empty name', { name: '' }, ['/name']],
  ['a name of 101 characters', { name: 'x'.repeat(101) }, ['/name']],
  ['no origins', { origins: [] }, ['/origins']],
  ['21 origins', { origins: Array.from({ length: 21 }, (_, n) => `https://a${n}.example`) }, ['/origins']],
  ['origins as text', { origins: 'https://shop.example' }, ['/origins']],
  ['an origin that is no text', { origins: ['https://shop.example', 7] }, ['/origins/1']],
  ['an origin of 301 characters', { origins: [`https://${'a'.repeat(293)}`] }, ['/origins/0']],
  ['a wildcard', { origins: ['https://shop.example', 'https://*.shop.example'] }, ['/origins/1']],
  [
    'null, a file and a path',
    { origins: ['null', 'file:///', 'https://shop.example/x'] },
    ['/origins/0', '/origins/1', '/origins/2'],
  ],
  ['no request a minute', { rate_per_minute: 0 }, ['/rate_per_minute']],
  ['100001 requests a minute', { rate_per_minute: 100_001 }, ['/rate_per_minute']],
  ['half a request a minute', { rate_per_minute: 0.5 }, ['/rate_per_minute']],
  ['a rate as text', { rate_per_minute: '10' }, ['/rate_per_minute']],
  ['nothing allowed', { allowed: [] }, ['/allowed']],
  ['an unknown use', { allowed: ['text', 'delete'] }, ['/allowed/1']],
  ['a use as text', { allowed: 'text' }, ['/allowed']],
  ['filters', { forced_filters: { must: [] } }, ['/forced_filters']],
  ['several at once', { name: 1, origins: 1, allowed: 1 }, ['/name', '/origins', '/allowed']],
]

describe('POST /v1/security/public-keys (contract 4.11)', () => {
  beforeAll(start)
  afterAll(() => app.close())

  test.each(BAD_FIELDS)('422 for %s, and no key is made', async (_what, fields, pointers) => {
    const answer = await create({ ...WIDGET, ...fields })
    expect([answer.body['error'], ...pointersOf(answer)]).toEqual(['validation_error', 422, ...pointers])
    expect(app.widgetKeys.count(storeId)).toBe(0)
  })
})

describe('PATCH /v1/security/public-keys/{id}', () => {
  let before: { id: string }

  beforeAll(async () => {
    await start()
    before = (await create(WIDGET)).body as { id: string }
  })
  afterAll(() => app.close())

  const patch = (id: string, body: unknown) => app.call('PATCH', `${PATH}/${id}`, { token, body })
  const read = async (id: string) => (await app.call('GET', `${PATH}/${id}`, { token })).body

  test.each<(typeof BAD_FIELDS)[number]>([...BAD_FIELDS, ['a name of null', { name: null }, ['/name']]])(
    '422 for %s, and nothing changes',
    async (_what, fields, pointers) => {
      expect(pointersOf(await patch(before.id, fields))).toEqual([422, ...pointers])
      expect(await read(before.id)).toEqual(before)
    },
  )
})
