import { Elysia } from 'elysia'
import { jsonBody, noBody } from '../../../http/body.ts'
import { FOR_STORE, failures, JSON_BODY, READING, WRITING } from '../../../http/failures.ts'
import type { Guards } from '../../../http/guards.ts'
import { IDEMPOTENCY_KEY, REPEATABLE } from '../../../http/idempotency.ts'
import { CHANGED_SINCE, IF_MATCH, readIfMatch, withVersion } from '../../../http/if-match.ts'
import {
  Group,
  GroupBody,
  GroupDeleted,
  GroupList,
  GroupParams,
  GroupPatch,
  PermissionList,
} from './schema.ts'
import { type GroupService, tagOf } from './service.ts'

const ONE_GROUP = [
  ...FOR_STORE,
  'validation_error',
  ['not_found', 'The store has no group with this id.'],
] as const

/** Routes for the groups of a store's members (contract 5.11). */
export function groupRoutes(
  { forStoreSecurity, idempotency }: Pick<Guards, 'forStoreSecurity' | 'idempotency'>,
  groups: GroupService,
) {
  return new Elysia({ name: 'groups.routes', prefix: '/v1/user-groups', tags: ['Team'] })
    .use(forStoreSecurity)
    .post(
      '',
      ({ request, path, actor, body, set }) => {
        const create = () => ({ status: 201 as const, body: groups.create(actor, body) })
        return idempotency.answer({ request, path, actor, body, set }, create)
      },
      {
        can: 'team:manage',
        parse: jsonBody(),
        body: GroupBody,
        response: {
          201: Group,
          ...failures(...FOR_STORE, ...WRITING, ...JSON_BODY, ...REPEATABLE, [
            'conflict',
            'A group of the store has this name, or the store has the maximum number of groups (`details.limit`).',
          ]),
        },
        detail: {
          operationId: 'createGroup',
          summary: 'Create a group with permissions',
          description:
            'A group says what the developers and viewers in it may do. Its name is unique in the store.',
          parameters: [IDEMPOTENCY_KEY],
        },
      },
    )
    .get('', ({ actor }) => groups.list(actor.storeId), {
      can: 'team:manage',
      response: { 200: GroupList, ...failures(...FOR_STORE, ...READING) },
      detail: {
        operationId: 'listGroups',
        summary: 'List the groups of the store, sorted by name',
        description: 'Every group of the store with its permissions and the number of its members.',
      },
    })
    .get('/permissions', () => groups.listPermissions(), {
      can: 'team:manage',
      response: { 200: PermissionList, ...failures(...FOR_STORE, ...READING) },
      detail: {
        operationId: 'listPermissions',
        summary: 'List the permissions that a group can grant',
        description: 'Every permission that a group can hold, with what it allows.',
      },
    })
    .get('/:id', ({ actor, params, set }) => withVersion(set, groups.read(actor.storeId, params.id), tagOf), {
      can: 'team:manage',
      params: GroupParams,
      response: { 200: Group, ...failures(...ONE_GROUP, ...READING) },
      detail: {
        operationId: 'getGroup',
        summary: 'Read one group',
        description: 'The same as in the list of groups, of one group.',
      },
    })
    .patch(
      '/:id',
      ({ actor, params, body, request, set }) =>
        withVersion(set, groups.update(actor, params.id, body, readIfMatch(request)), tagOf),
      {
        can: 'team:manage',
        params: GroupParams,
        parse: jsonBody(),
        body: GroupPatch,
        response: {
          200: Group,
          ...failures(...ONE_GROUP, ...WRITING, ...JSON_BODY, [
            'conflict',
            `Another group has this name. Or: ${CHANGED_SINCE[1]}`,
          ]),
        },
        detail: {
          operationId: 'updateGroup',
          summary: 'Change the name or the permissions of a group',
          description: 'The new permissions hold from the next request of each member.',
          parameters: [IF_MATCH],
        },
      },
    )
    .delete('/:id', ({ actor, params }) => groups.remove(actor, params.id), {
      can: 'team:manage',
      parse: noBody,
      params: GroupParams,
      response: {
        200: GroupDeleted,
        ...failures(...ONE_GROUP, ...WRITING, [
          'conflict',
          'The group has members, `details.member_count`; without it they would have the rights of their role.',
        ]),
      },
      detail: {
        operationId: 'deleteGroup',
        summary: 'Delete a group that nobody is in',
        description:
          'Only a group without members can be deleted, because a member without a group has the rights of the role.',
      },
    })
}
