import { Type } from '@sinclair/typebox'
import { LIMITS } from '../../../core/limits.ts'
import { PLAN_NAMES } from '../../../core/plans.ts'

/** What the manifest of a store's file says besides its parts. */
export const FileDetails = Type.Object({
  store: Type.Object({
    slug: Type.String({ maxLength: 100 }),
    name: Type.String({ minLength: 1, maxLength: 200 }),
    plan: Type.Union(PLAN_NAMES.map((name) => Type.Literal(name))),
  }),
  /** The models of its vectors, the one in use last. */
  models: Type.Array(
    Type.Object({
      id: Type.String({ minLength: 1, maxLength: 200 }),
      hash: Type.String({ pattern: '^[0-9a-f]{64}$' }),
      dimension: Type.Integer({ minimum: 1, maximum: 4_096 }),
    }),
    { maxItems: 100 },
  ),
})
export type FileDetails = typeof FileDetails.static

const Email = Type.String({ minLength: 3, maxLength: 320 })
const Id = Type.String({ minLength: 1, maxLength: 100 })

/** The people of a store. Nothing else of them travels. */
export const FilePeople = Type.Object({
  /** Members, and those with an open invitation. */
  members: Type.Array(
    Type.Object({
      email: Email,
      role: Type.Union(
        (['owner', 'admin', 'developer', 'viewer'] as const).map((role) => Type.Literal(role)),
      ),
      groups: Type.Array(Id, { maxItems: 1_000 }),
    }),
    // Each is mailed.
    { maxItems: LIMITS.membersPerStoreMax },
  ),
  /** Who made an API key. */
  makers: Type.Array(Type.Object({ email: Email, key: Id }), { maxItems: 20_000 }),
})
export type FilePeople = typeof FilePeople.static

/** What only the passphrase opens. */
export const FileSecrets = Type.Object({
  /** Signing secrets, by webhook; that of callbacks under its own name. */
  signing: Type.Array(Type.Object({ owner: Id, secret: Type.String({ minLength: 1, maxLength: 1_000 }) }), {
    maxItems: 20_000,
  }),
  feeds: Type.Array(Type.Object({ feed: Id, login: Type.String({ maxLength: 10_000 }) }), {
    maxItems: 20_000,
  }),
})
export type FileSecrets = typeof FileSecrets.static
