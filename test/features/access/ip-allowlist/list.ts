import type { Role } from '../../../../src/core/actor.ts'
import { type Answer, testApp } from '../../../support/app.ts'
import { addPerson, getToken } from '../../../support/people.ts'
import { readAudit } from '../../../support/seed.ts'

export const PATH = '/v1/security/ip-whitelist'

/** Where calls come from unless they say otherwise. */
export const HERE = '203.0.113.9'

/** Status and code of an answer. */
export const codeOf = ({ status, body }: Answer): [number, unknown] => [status, body['error']]

/** A store behind a trusted proxy that names the client of each call. */
export async function listedStore() {
  const app = testApp({}, { TRUSTED_PROXIES: '127.0.0.1' })
  const token = await app.signIn()
  const storeId = app.stores.requireBySlug('one').id

  const call = (method: string, path: string, body?: unknown, { from = HERE, as = token } = {}) =>
    app.call(method, path, {
      token: as,
      headers: { 'x-forwarded-for': from },
      ...(body !== undefined && { body }),
    })

  async function member(role: Role, store = 'one') {
    const person = await addPerson(app, `${role}-${app.ids.uuid()}`, [{ store, role }])
    return { ...person, token: await getToken(app, person) }
  }
  const owner = await member('owner')

  /** Adds an entry whatever it does to the caller. */
  const put = async (ip_address: string) =>
    String((await call('POST', PATH, { ip_address, force: true }, { as: owner.token })).body['id'])

  return {
    app,
    token,
    storeId,
    /** A person who may force what a program may not. */
    owner,
    call,
    put,
    member,
    /** As the owner, unless it says otherwise. */
    add: (body: unknown, how?: { from?: string; as?: string }) =>
      call('POST', PATH, body, { as: owner.token, ...how }),
    remove: (id: string, query = '', how?: { from?: string; as?: string }) =>
      call('DELETE', `${PATH}/${id}${query}`, undefined, how),
    list: async () => (await app.ipAllowlist.list(storeId)).entries.map(({ ip_address }) => ip_address),
    /** Status and code of an ordinary call from an address. */
    comesIn: async (from: string, as = token) =>
      codeOf(await call('GET', '/v1/products', undefined, { from, as })),
    acts: () =>
      readAudit(app, 'ip_whitelist.*').map(
        ({ action, actor_kind, store_id, user_id, details, address }): Record<string, unknown> => ({
          ...{ action, actor_kind, store_id, user_id, details, address },
        }),
      ),
  }
}

export type ListedStore = Awaited<ReturnType<typeof listedStore>>
