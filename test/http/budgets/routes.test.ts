import { afterAll, beforeAll, expect, test } from 'bun:test'
import { type Answer, type TestApp, testApp } from '../../support/app.ts'
import { addPerson, getToken, proxiedApp } from '../../support/people.ts'

let app: TestApp

beforeAll(() => {
  // Behind a proxy the sign-ins come from many addresses, of which each has a budget.
  app = proxiedApp()
})
afterAll(() => app.close())

/** Opens a store on the free plan, and gives an API key, the machine grant and a login of its owner. */
async function openStore() {
  const slug = app.newSlug()
  const machine = await app.signIn(slug, 'free')
  const person = await getToken(app, await addPerson(app, slug, [{ store: slug, role: 'owner' }]))
  const { body } = await app.call('POST', '/v1/security/api-keys', {
    token: person,
    body: { name: 'key', scopes: { products: 'read' } },
  })
  return { key: String(body['key']), machine, person }
}

/** The name of the budget that a call has spent. */
const policyOf = ({ headers }: Answer) => /^"(\w+)"/.exec(headers.get('ratelimit-policy') ?? '')?.[1]

/** Every signed-in route, with something in the place of ids. */
const ROUTES = (() => {
  const { http, close } = testApp()
  // Those of widgets take no such credential: test/features/discovery/widget has their budgets. Neither do links, Stripe and other nodes.
  const routes = (http.routes as { method: string; path: string }[]).filter(({ path }) =>
    /^\/v1\/(?!widget\/|node\/|team\/invites\/(accept|look)$|billing\/stripe\/)/.test(path),
  )
  close()
  return routes.map(({ method, path }) => [method, path.replaceAll(/:\w+/g, 'none')] as const)
})()

/** Routes that guard an account or a store. */
const isGuarding = (path: string): boolean =>
  /^\/v1\/(security|me|team|users|user-groups|billing|admin|stores|slugs|store\/(people-data|check-addresses))(\/|$)/.test(
    path,
  ) || path === '/v1/store'

test.each(ROUTES)('whose budget %s %s spends', async (method, path) => {
  const { key, machine, person } = await openStore()
  const policies: unknown[] = []
  // The person comes last, who may end the credentials of the others.
  for (const token of [key, machine, person]) {
    policies.push(policyOf(await app.call(method, path, { token })))
  }
  const used = path === '/v1/search/feedback' ? 'feedback' : 'plan'
  // Searches spend the plan's budget whoever sends them.
  const isRead = method === 'GET' && !/\/(similar|together|trending)$/.test(path)
  const ofPerson = isRead ? 'reads' : used
  expect(policies).toEqual(isGuarding(path) ? ['plan', 'security', 'person'] : [used, used, ofPerson])
})
