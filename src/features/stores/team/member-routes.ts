import { Elysia } from 'elysia'
import { ApiError } from '../../../core/errors.ts'
import { jsonBody, noBody } from '../../../http/body.ts'
import { FOR_STORE, failures, JSON_BODY, READING, WRITING } from '../../../http/failures.ts'
import type { Guards } from '../../../http/guards.ts'
import { CHANGED_SINCE, IF_MATCH, readIfMatch, withVersion } from '../../../http/if-match.ts'
import { type MemberService, tagOf } from './members.ts'
import type { NewUserService } from './new-users.ts'
import {
  Member,
  MemberList,
  MemberParams,
  MemberPatch,
  MemberRemoved,
  User,
  UserBody,
  UserList,
} from './schema.ts'

const ONE_MEMBER = [
  ...FOR_STORE,
  'validation_error',
  ['not_found', 'The store has no member with this id.'],
] as const

const LAST_OWNER = ['conflict', 'The store would have no owner.'] as const

/** Routes for the members of a store (contract 5.10). */
export function memberRoutes({ forStoreSecurity }: Pick<Guards, 'forStoreSecurity'>, members: MemberService) {
  return new Elysia({ name: 'team.members.routes', prefix: '/v1/team/members', tags: ['Team'] })
    .use(forStoreSecurity)
    .get('', ({ actor }) => members.list(actor.storeId), {
      person: true,
      response: { 200: MemberList, ...failures(...FOR_STORE, ...READING) },
      detail: {
        operationId: 'listMembers',
        summary: 'List the members of the store, the oldest first',
        description:
          'Every member with role, groups, second factor and last sign-in, the oldest membership first.',
      },
    })
    .get(
      '/:id',
      ({ actor, params, set }) => withVersion(set, members.read(actor.storeId, params.id), tagOf),
      {
        person: true,
        params: MemberParams,
        response: { 200: Member, ...failures(...ONE_MEMBER, ...READING) },
        detail: {
          operationId: 'getMember',
          summary: 'Read one member',
          description: 'The same as in the list of members, of one member.',
        },
      },
    )
    .patch(
      '/:id',
      ({ actor, params, body, request, set }) =>
        withVersion(set, members.change(actor, params.id, body, readIfMatch(request)), tagOf),
      {
        can: 'team:manage',
        params: MemberParams,
        parse: jsonBody(),
        body: MemberPatch,
        response: {
          200: Member,
          ...failures(...ONE_MEMBER, ...WRITING, ...JSON_BODY, [
            'conflict',
            `${LAST_OWNER[1]} Or: ${CHANGED_SINCE[1]}`,
          ]),
        },
        detail: {
          operationId: 'updateMember',
          summary: 'Change the role or the groups of a member',
          description:
            'Only an owner may make or change an owner. `group_ids` replaces all groups. The change holds from the next request of the member.',
          parameters: [IF_MATCH],
        },
      },
    )
    .delete('/:id', ({ actor, params }) => members.remove(actor, params.id), {
      can: 'team:manage',
      parse: noBody,
      params: MemberParams,
      response: { 200: MemberRemoved, ...failures(...ONE_MEMBER, ...WRITING, LAST_OWNER) },
      detail: {
        operationId: 'removeMember',
        summary: 'Remove a member from the store; the account stays',
        description:
          'Only an owner may remove an owner. API keys that the member made lose every permission.',
      },
    })
}

/** Routes for the users of a store (contract 5.10). */
export function userRoutes(
  { forStoreSecurity }: Pick<Guards, 'forStoreSecurity'>,
  members: MemberService,
  newUsers: NewUserService,
) {
  return new Elysia({ name: 'team.users.routes', prefix: '/v1/users', tags: ['Team'] })
    .use(forStoreSecurity)
    .post('', async ({ actor, body, status }) => status(201, await newUsers.create(actor, body)), {
      can: 'team:invite',
      parse: jsonBody(),
      body: UserBody,
      response: {
        201: User,
        ...failures(
          ...FOR_STORE,
          ...WRITING,
          ...JSON_BODY,
          [
            'conflict',
            'The address has an account: invite its owner. Or members and open invitations fill the store (`details.limit`).',
          ],
          ['invite_exists', 'The address has a pending invitation to this store, `details.invite_id`.'],
        ),
      },
      detail: {
        operationId: 'createUser',
        summary: 'Create an account for a new member, with a password of your choice',
        description:
          'The account counts as not proven until its owner sets a password by mail. Repeating the request answers `conflict`; there is no `Idempotency-Key`, because nothing of a password is kept.',
      },
    })
    .get('', ({ actor }) => members.listUsers(actor.storeId), {
      person: true,
      response: { 200: UserList, ...failures(...FOR_STORE, ...READING) },
      detail: {
        operationId: 'listUsers',
        summary: 'List the members of the store as an array of users',
        description: 'The members of the store as an array of users.',
      },
    })
}

/** The answers of the retired paths below `/v1/users/`. */
const REPLACEMENT = '/v1/team/members/{id}'

/** Answers for retired paths (contract 1.2). */
export function retiredUserRoutes({ forCaller }: Pick<Guards, 'forCaller'>) {
  return new Elysia({ name: 'team.retired.routes' }).use(forCaller).all(
    '/v1/users/*',
    () => {
      throw new ApiError('gone', 'This endpoint is retired', { replacement: REPLACEMENT })
    },
    { anyCaller: true, parse: noBody, detail: { hide: true } },
  )
}
