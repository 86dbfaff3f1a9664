import type { Permission, Role } from '../../../../src/core/actor.ts'
import type { Answer, TestApp } from '../../../support/app.ts'
import { addPerson, freshAddress, from, getToken, type Person } from '../../../support/people.ts'
import { prove } from '../../../support/seed.ts'

export const NEW_PASSWORD = 'seven green bottles'
export const DAY_MS = 86_400_000

/** Sends a request as somebody, for the store `one` unless another is named. */
export type Send = (method: string, path: string, body?: unknown, store?: string) => Promise<Answer>

export interface Somebody extends Person {
  token: string
  send: Send
}

/** A signed-in person; `roles` names stores by their slugs. The account counts as proven. */
export async function somebody(
  app: TestApp,
  name: string,
  roles: Record<string, Role> = {},
  { isSuperAdmin = false, groups = [] as Permission[][], isProven = true } = {},
): Promise<Somebody> {
  const places = Object.entries(roles).map(([store, role]) => ({ store, role, groups }))
  const person = await addPerson(app, name, places, { isSuperAdmin })
  if (isProven) prove(app, person.id)
  const token = await getToken(app, person)
  return { ...person, token, send: sender(app, token) }
}

const sender =
  (app: TestApp, token: string): Send =>
  (method, path, body, store = 'one') =>
    app.call(method, path, {
      token,
      headers: { 'x-service-active-tenant': store },
      ...(body !== undefined && { body }),
    })

/** The token of a link. */
export const tokenOf = (url: unknown): string => String(url).split('#token=')[1] ?? 'no link'

/** The token of the last mail to an address with a link. */
const mailedToken = ({ mails }: TestApp, email: string): string =>
  /#token=([\w-]+)/.exec(
    mails.findLast(({ to, text }) => to === email && text.includes('/invite#'))?.text ?? '',
  )?.[1] ?? 'no link was mailed'

/** Invites an address to `one` and gives the token of the mailed link. */
export async function invited(
  app: TestApp,
  owner: Somebody,
  email: string,
  role: Role = 'viewer',
  store = 'one',
) {
  const { status, body } = await owner.send('POST', '/v1/team/invite', { email, role }, store)
  if (status !== 201) throw new Error(`inviting was answered with ${JSON.stringify(body)}`)
  return { id: String(body['invite_id']), token: mailedToken(app, email) }
}

export const accept = (app: TestApp, body: Record<string, unknown>): Promise<Answer> =>
  app.call('POST', '/v1/team/invites/accept', { body, headers: from(freshAddress()) })

export const look = (app: TestApp, token: string): Promise<Answer> =>
  app.call('POST', '/v1/team/invites/look', { body: { token }, headers: from(freshAddress()) })

export const newcomer = (token: string) => ({ token, full_name: 'Nora New', password: NEW_PASSWORD })

/** Runs what the program does after an answer. */
export async function afterAnswers(app: TestApp): Promise<void> {
  await app.settle()
}

export const membershipsOf = ({ db }: TestApp, email: string): Record<string, string> =>
  Object.fromEntries(
    db
      .prepare<[string], { slug: string; role: string }>(
        `SELECT slug, role FROM memberships JOIN users ON users.id = user_id JOIN stores ON stores.id = store_id
         WHERE email = ? ORDER BY slug`,
      )
      .all(email)
      .map(({ slug, role }) => [slug, role]),
  )

/** The last events of the audit log, the newest first. */
export const events = ({ db }: TestApp, like: string) =>
  db
    .prepare<[string], { action: string; actor_kind: string; user_id: string; details: string }>(
      'SELECT action, actor_kind, user_id, details FROM audit_events WHERE action LIKE ? ORDER BY id DESC',
    )
    .all(like)
    .map(({ details, ...event }) => ({ ...event, details: JSON.parse(details) }))
