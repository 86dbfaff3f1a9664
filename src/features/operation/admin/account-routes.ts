import { Elysia } from 'elysia'
import { jsonBody } from '../../../http/body.ts'
import { FOR_SUPER_ADMIN, failures, JSON_BODY, WRITING } from '../../../http/failures.ts'
import type { Guards } from '../../../http/guards.ts'
import { IDEMPOTENCY_KEY, REPEATABLE } from '../../../http/idempotency.ts'
import { Deleted } from '../../access/own-data/schema.ts'
import { REAUTHENTICATING } from '../../access/reauthentication/schema.ts'
import { DeleteUserBody, InviteBody, Invited, UserPatch } from './account-schema.ts'
import type { AdminPeopleService } from './people.ts'
import { AdminUser, IdParams } from './schema.ts'

/** Contract 8.11: who has an account, and who is a super-admin. */
export const adminAccountRoutes = (
  { forSuperAdmin, idempotency }: Pick<Guards, 'forSuperAdmin' | 'idempotency'>,
  people: AdminPeopleService,
) =>
  new Elysia({ name: 'admin.accounts', prefix: '/v1/admin', tags: ['Operator'] })
    .use(forSuperAdmin)
    .post(
      '/registrations',
      ({ request, path, caller, body, set }) => {
        const invite = async () => ({ status: 201 as const, body: await people.invite(caller, body) })
        return idempotency.answerPerson({ request, path, actor: caller, body, set }, invite, {
          isSecret: true,
        })
      },
      {
        superAdmin: true,
        parse: jsonBody(),
        body: InviteBody,
        response: {
          201: Invited,
          ...failures(...FOR_SUPER_ADMIN, ...WRITING, ...JSON_BODY, ...REPEATABLE, [
            'conflict',
            'The address has an account already.',
          ]),
        },
        detail: {
          operationId: 'inviteToRegister',
          summary: 'Invite an address to register',
          description:
            'Where `REGISTRATION` is `invite`, the code lets the address register once within 7 days. Where no mail leaves, `invite` holds the code.',
          parameters: [IDEMPOTENCY_KEY],
        },
      },
    )
    .patch('/users/:id', ({ caller, params, body }) => people.change(caller, params.id, body), {
      superAdmin: true,
      parse: jsonBody(),
      params: IdParams,
      body: UserPatch,
      response: {
        200: AdminUser,
        ...failures(
          ...FOR_SUPER_ADMIN,
          ...WRITING,
          ...JSON_BODY,
          ...REAUTHENTICATING,
          ['not_found', 'There is no person with this id.'],
          [
            'conflict',
            'It is the last super-admin, or nobody has proven the account; details.reason says which.',
          ],
        ),
      },
      detail: {
        operationId: 'changePersonAsOperator',
        summary: 'Make a person a super-admin, or take that right away',
        description:
          'Asks for your own password, and for a code if your account has a second factor. The person and all super-admins get a mail.',
      },
    })
    .delete('/users/:id', ({ caller, params, body }) => people.delete(caller, params.id, body), {
      superAdmin: true,
      parse: jsonBody(),
      params: IdParams,
      body: DeleteUserBody,
      response: {
        200: Deleted,
        ...failures(
          ...FOR_SUPER_ADMIN,
          ...WRITING,
          ...JSON_BODY,
          ['not_found', 'There is no person with this id.'],
          [
            'conflict',
            'The person is the only owner of a store, or a super-admin; details.reason says which.',
          ],
        ),
      },
      detail: {
        operationId: 'deletePersonAsOperator',
        summary: 'Delete the account of a person',
        description:
          '`confirm` must be the e-mail address of the account. Its sign-ins end and its memberships are gone; stores stay. The person gets a mail.',
      },
    })
