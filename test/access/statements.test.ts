import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { openDatabase } from '../../src/platform/db/open.ts'
import { form, pictureBytes, type TestApp, testApp } from '../support/app.ts'
import { addPerson, tokenOf } from '../support/people.ts'
import { statementLog } from '../support/statements.ts'

let app: TestApp
let log: ReturnType<typeof statementLog>
let machine: string

beforeEach(async () => {
  const db = openDatabase(':memory:')
  log = statementLog(db)
  app = testApp({ db })
  machine = await app.signIn('one', 'premium')
})
afterEach(() => app.close())

const show = (name: string, list: string[]) =>
  console.log(`${name}: ${list.length}\n${list.map((s) => `    ${s.slice(0, 150)}`).join('\n')}`)

async function key(): Promise<string> {
  const { body } = await app.call('POST', '/v1/security/api-keys', {
    token: machine,
    body: { name: 'k', scopes: { products: ['read', 'write'], search: 'execute' } },
  })
  return String(body['key'])
}

test('before', async () => {
  const k = await key()
  const cred = { headers: { 'x-api-key': k } }
  await app.call('GET', '/v1/me', cred)
  show('me by key', await log.during(() => app.call('GET', '/v1/me', cred)))
  show('list by key', await log.during(() => app.call('GET', '/v1/products', cred)))
  show('me by machine', await log.during(() => app.call('GET', '/v1/me', { token: machine })))
  show('list by machine', await log.during(() => app.call('GET', '/v1/products', { token: machine })))
  for (const role of ['owner', 'viewer'] as const) {
    const p = await addPerson(app, role, [{ store: 'one', role }])
    const t = await tokenOf(app, p)
    await app.call('GET', '/v1/me', { token: t })
    await app.call('GET', '/v1/products', { token: t })
    show('me by ' + role, await log.during(() => app.call('GET', '/v1/me', { token: t })))
    show('list by ' + role, await log.during(() => app.call('GET', '/v1/products', { token: t })))
  }
  show(
    'upload',
    await log.during(() =>
      app.call('POST', '/v1/products', { ...cred, body: form({ product_id: 'a', image: pictureBytes(1) }) }),
    ),
  )
  show(
    'url',
    await log.during(() =>
      app.call('POST', '/v1/products', {
        ...cred,
        body: { product_id: 'b', image_url: app.picture('x', 2) },
      }),
    ),
  )
  show('text', await log.during(() => app.call('POST', '/v1/search/text', { ...cred, body: { query: '1' } })))
  show(
    'demo',
    (await log.during(() => app.call('POST', '/v1/products/demo', { ...cred }))).filter((s) =>
      s.includes('stores'),
    ),
  )
})
