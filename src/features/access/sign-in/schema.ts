import { Type } from '@sinclair/typebox'
import { t } from 'elysia'
import { ROLES } from '../../../core/actor.ts'
import { isoTime, isoTimeOrNull } from '../../../core/clock.ts'
import { LIMITS } from '../../../core/limits.ts'
import { PLAN_NAMES } from '../../../core/plans.ts'
import { named } from '../../../http/openapi/named.ts'
import { Moment } from '../../../http/paging.ts'
import { oneOf } from '../../../http/schema.ts'
import { text } from '../../../http/text-schema.ts'
import type { MembershipRow } from '../../stores/people/queries.ts'
import type { MovedMembership } from '../../stores/stores/move-queries.ts'
import { codeFields } from '../reauthentication/schema.ts'

/** The longest client_id and client_secret that the service accepts. Issued ones are far shorter. */
export const CREDENTIAL_CHARS_MAX = 200

/** The form of RFC 6749 §4.4.2; the client's id and secret may be sent by HTTP Basic instead. */
export const TokenForm = named(
  'TokenRequest',
  t.Object({
    grant_type: t.Optional(t.String({ description: '`client_credentials`' })),
    client_id: t.Optional(text({ maxLength: CREDENTIAL_CHARS_MAX })),
    client_secret: t.Optional(text({ maxLength: CREDENTIAL_CHARS_MAX })),
  }),
  {
    grant_type: 'client_credentials',
    client_id: 'the client_id of the store',
    client_secret: 'its client_secret',
  },
)
export type TokenForm = typeof TokenForm.static

/** Contract 5.1, 5.2. */
export const SignInRequest = named(
  'SignInRequest',
  t.Object({
    email: text({ minLength: 1, maxLength: 320 }),
    password: text({ minLength: 1, maxLength: LIMITS.passwordCharsMax }),
    ...codeFields,
  }),
  { email: 'anna@shop.example', password: 'kettle drum violin' },
)
export type SignInRequest = typeof SignInRequest.static

/** RFC 8414 §2: how clients of OAuth configure themselves. */
export const AuthorizationServer = named(
  'AuthorizationServer',
  t.Object({
    issuer: t.String({ description: 'The public address of the service.' }),
    token_endpoint: t.String(),
    token_endpoint_auth_methods_supported: t.Array(t.String()),
    revocation_endpoint: t.String(),
    revocation_endpoint_auth_methods_supported: t.Array(t.String()),
    grant_types_supported: t.Array(t.String()),
    response_types_supported: t.Array(t.String(), { description: 'None: no browser is sent anywhere.' }),
    service_documentation: t.String(),
  }),
)
export type AuthorizationServer = typeof AuthorizationServer.static

/** Describes the endpoints of this service. @param issuer its public address. */
export const describeServer = (issuer: string): AuthorizationServer => ({
  issuer,
  token_endpoint: `${issuer}/oauth/token`,
  token_endpoint_auth_methods_supported: ['client_secret_basic', 'client_secret_post'],
  revocation_endpoint: `${issuer}/oauth/revoke`,
  // The holder of a token may revoke it.
  revocation_endpoint_auth_methods_supported: ['none'],
  grant_types_supported: ['client_credentials'],
  response_types_supported: [],
  service_documentation: `${issuer}/docs`,
})

/** The form of RFC 7009 §2.1. */
export const RevokeForm = named(
  'RevocationRequest',
  t.Object({
    token: t.Optional(text({ maxLength: 8_192, description: 'The access token to revoke.' })),
    token_type_hint: t.Optional(text({ maxLength: 100, description: 'Ignored.' })),
  }),
  { token: 'the access token' },
)
export type RevokeForm = typeof RevokeForm.static

export const Revoked = t.Object({ status: t.Literal('revoked') })

export const PortalSessionEnded = t.Object({ status: t.Literal('ended') })

const accessToken = {
  access_token: t.String({ description: 'Signed JWT.' }),
  token_type: t.Literal('Bearer'),
  expires_in: Type.Integer({ description: 'Seconds.' }),
}

/** Contract 4.5. */
export const AccessToken = named('AccessToken', t.Object(accessToken))
export type AccessToken = typeof AccessToken.static

/** One store of a person (contract 5.1). */
export const MembershipView = named(
  'Membership',
  t.Object({
    client_id: t.String(),
    slug: t.String(),
    name: t.String(),
    role: oneOf(ROLES),
    plan: oneOf(PLAN_NAMES),
    suspended_at: t.Union([Moment, t.Null()], {
      description: 'Since when the operator has suspended the store.',
    }),
    last_used_at: t.Nullable(Moment),
  }),
)
export type MembershipView = typeof MembershipView.static

/** One store of a person that is on another node (contract 3.22). */
export const MovedStoreView = named(
  'MovedStore',
  t.Object({
    client_id: t.String(),
    slug: t.String(),
    name: t.String(),
    role: oneOf(ROLES),
    url: t.String({ description: 'The address of the node that has the store: sign in there.' }),
    moved_at: Moment,
  }),
)
export type MovedStoreView = typeof MovedStoreView.static

/** Contract 5.1: a token with the fields of a person's sign-in. */
export const UserToken = named(
  'UserToken',
  t.Object({
    ...accessToken,
    user_type: t.Literal('user'),
    user_id: t.String(),
    user_name: t.String(),
    is_super_admin: t.Boolean(),
    memberships: t.Array(MembershipView),
    moved_stores: t.Optional(
      t.Array(MovedStoreView, { description: 'Only where a store of the person has moved to another node.' }),
    ),
    redirect: t.String({ description: '`/<slug>/portal`, `/portal/select-store` or `/admin`.' }),
    client_name: t.Optional(
      t.String({ description: 'Name of the store, if the person belongs to exactly one.' }),
    ),
    recovery_codes_left: t.Optional(
      Type.Integer({ description: 'Only after a sign-in with a recovery code.' }),
    ),
  }),
)
export type UserToken = typeof UserToken.static

/** Converts a membership for the wire. */
export const membershipView = ({
  storeId,
  slug,
  name,
  role,
  plan,
  suspendedAt,
  lastUsedAt,
}: MembershipRow): MembershipView => ({
  client_id: storeId,
  slug,
  name,
  role,
  plan,
  suspended_at: isoTimeOrNull(suspendedAt),
  last_used_at: isoTimeOrNull(lastUsedAt),
})

/** Converts a store that is elsewhere for the wire. */
const movedStoreView = ({ id, slug, name, role, url, movedAt }: MovedMembership): MovedStoreView => ({
  client_id: id,
  slug,
  name,
  role,
  url,
  moved_at: isoTime(movedAt),
})

/** Where the stores of a person have moved to; no field where none has. */
export function listMovedStores(
  rows: { listMovedOfPerson(userId: string): MovedMembership[] },
  userId: string,
): { moved_stores?: MovedStoreView[] } {
  const moved = rows.listMovedOfPerson(userId)
  return moved.length === 0 ? {} : { moved_stores: moved.map(movedStoreView) }
}
