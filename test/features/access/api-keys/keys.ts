import type { Permission, Role } from '../../../../src/core/actor.ts'
import type { TestApp } from '../../../support/app.ts'
import { addPerson, getToken } from '../../../support/people.ts'
import { codeOf } from './answers.ts'

export const DAY_MS = 86_400_000
export const PATH = '/v1/security/api-keys'

/** The smallest key that can do something. */
export const READ = { name: 'reader', scopes: { products: 'read' } }

/** What {@link Keys.useKey} gives for a key that may list products. */
export const WORKS: [number, unknown] = [200, undefined]

const LONG_S = 100 * 365 * 86_400

/** How far apart sign-ins of one address must be for never to be throttled. */
const SIGN_IN_EVERY_MS = 6_001

export type Keys = Awaited<ReturnType<typeof keysOf>>

/** A store with all that its keys can be asked for by its machine grant, whose token outlives every test. */
export async function keysOf(app: TestApp) {
  const { store_id: storeId } = await app.store()
  const token = await machineToken(app, storeId)

  const create = (body: unknown = READ, as = token) => app.call('POST', PATH, { token: as, body })

  return {
    storeId,
    token,
    /** That moment from now on, as the wire has it. */
    isoIn: (ms: number) => new Date(app.clock.now() + ms).toISOString(),
    create,
    /** A key that was made: the answer's body. */
    async made(body: unknown = READ) {
      return (await create(body)).body as { id: string; key: string; prefix: string }
    },
    rotate: (id: string, body?: unknown, as = token) =>
      app.call('POST', `${PATH}/${id}/rotate`, { token: as, ...(body !== undefined && { body }) }),
    patch: (id: string, body: unknown, as = token) => app.call('PATCH', `${PATH}/${id}`, { token: as, body }),
    read: async (id: string) => (await app.call('GET', `${PATH}/${id}`, { token })).body,
    /** Status and code that listing products answers to a key. */
    useKey: async (key: unknown): Promise<[number, unknown]> =>
      codeOf(await app.call('GET', '/v1/products', { token: String(key) })),
  }
}

/** A token of a store's first client secret. */
export const machineToken = (app: TestApp, storeId: string): Promise<string> =>
  app.signToken({ sub: storeId, jti: app.ids.uuid(), user_type: 'client', generation: 1 }, LONG_S)

/** Makes a member of a store and signs him in. */
export async function signInMember(
  app: TestApp,
  place: { store: string; role: Role; groups?: Permission[][] },
) {
  const person = await addPerson(app, `member-${app.ids.uuid()}`, [place])
  app.clock.advance(SIGN_IN_EVERY_MS)
  return { userId: person.id, token: await getToken(app, person) }
}
