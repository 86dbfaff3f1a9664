import { Elysia } from 'elysia'
import { jsonBody, noBody } from '../../../http/body.ts'
import { FOR_SUPER_ADMIN, failures, JSON_BODY, READING, WRITING } from '../../../http/failures.ts'
import type { Guards } from '../../../http/guards.ts'
import { IDEMPOTENCY_KEY, REPEATABLE } from '../../../http/idempotency.ts'
import { Deleted } from '../../access/own-data/schema.ts'
import { REAUTHENTICATING } from '../../access/reauthentication/schema.ts'
import { DeleteUserBody, InviteBody, Invited, UserPatch } from './account-schema.ts'
import type { AdminPeopleService } from './people.ts'
import {
  AdminUser,
  AdminUserList,
  AdminUserQuery,
  IdParams,
  RegistrationList,
  RegistrationQuery,
  SignInsEnded,
  TwoFactorReset,
  UserReset,
  UserUnlocked,
  UserVerified,
} from './schema.ts'

const LIST = [...FOR_SUPER_ADMIN, ...READING, 'validation_error', 'invalid_cursor'] as const
const ACT = [
  ...FOR_SUPER_ADMIN,
  ...WRITING,
  'validation_error',
  ['not_found', 'There is no person with this id.'],
] as const
const act = { superAdmin: true, parse: noBody, params: IdParams } as const

/** Contract 8.11: the people of this service, for super-admins. */
export function adminPeopleRoutes(
  { forSuperAdmin, idempotency }: Pick<Guards, 'forSuperAdmin' | 'idempotency'>,
  people: AdminPeopleService,
) {
  return new Elysia({ name: 'admin.people', prefix: '/v1/admin', tags: ['Operator'] })
    .use(forSuperAdmin)
    .get('/users', ({ query }) => people.list(query), {
      superAdmin: true,
      query: AdminUserQuery,
      response: { 200: AdminUserList, ...failures(...LIST) },
      detail: {
        operationId: 'listPeopleAsOperator',
        summary: 'List the people with their stores and sign-ins',
        description:
          'All accounts of this installation with their stores and sign-ins, in pages; `q` narrows the list.',
      },
    })
    .get('/registrations', ({ query }) => people.listRegistrations(query), {
      superAdmin: true,
      query: RegistrationQuery,
      response: { 200: RegistrationList, ...failures(...LIST) },
      detail: {
        operationId: 'listRegistrations',
        summary: 'List the registrations whose link nobody has opened yet',
        description: 'Registrations whose link nobody has opened yet, so that there is no account.',
      },
    })
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
            'It is the last super-admin (`details.reason` is `last_super_admin`), or nobody has proven the account (`not_proven`).',
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
            'The person is the only owner of a store (`details.reason` is `last_owner`), or a super-admin (`super_admin`).',
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
    .get('/users/:id', ({ params }) => people.read(params.id), {
      superAdmin: true,
      params: IdParams,
      response: {
        200: AdminUser,
        ...failures(...FOR_SUPER_ADMIN, ...READING, 'validation_error', [
          'not_found',
          'There is no person with this id.',
        ]),
      },
      detail: {
        operationId: 'getPersonAsOperator',
        summary: 'Read a person with their stores and sign-ins',
        description: 'One account with its stores, its second factor and its sign-ins.',
      },
    })
    .post('/users/:id/verify', ({ caller, params }) => people.verify(caller, params.id), {
      ...act,
      response: {
        200: UserVerified,
        ...failures(...ACT, ['conflict', 'The address of the registration has an account already.']),
      },
      detail: {
        operationId: 'verifyPerson',
        summary: 'Vouch for a person: activate a registration, or prove an account',
        description:
          'The id is that of a registration or of an account. Only do this for somebody whom you know to own the address: the account counts as proven afterwards.',
      },
    })
    .post('/users/:id/reset', ({ caller, params }) => people.reset(caller, params.id), {
      ...act,
      response: { 200: UserReset, ...failures(...ACT) },
      detail: {
        operationId: 'resetPasswordOfPerson',
        summary: 'Mail a person a link for a new password',
        description:
          'Where no mail leaves, `reset_url` holds the link. Nothing changes before the link is used.',
      },
    })
    .post('/users/:id/unlock', ({ caller, params }) => people.unlock(caller, params.id), {
      ...act,
      response: { 200: UserUnlocked, ...failures(...ACT) },
      detail: {
        operationId: 'unlockPerson',
        summary: 'Forget the failed sign-ins of a person',
        description:
          'Forgets the failed sign-ins of the address, so that its person can sign in again at once.',
      },
    })
    .post('/users/:id/end-sessions', ({ caller, params }) => people.endSessions(caller, params.id), {
      ...act,
      response: { 200: SignInsEnded, ...failures(...ACT) },
      detail: {
        operationId: 'endSessionsOfPerson',
        summary: 'End every sign-in of a person',
        description: 'Every token of the person stops working at once, in all stores.',
      },
    })
    .post('/users/:id/reset-2fa', ({ caller, params }) => people.resetTwoFactor(caller, params.id), {
      ...act,
      response: { 200: TwoFactorReset, ...failures(...ACT) },
      detail: {
        operationId: 'resetTwoFactorOfPerson',
        summary: 'Remove the second factor of a person who has lost it',
        description:
          'Removes the second factor and the recovery codes, and ends every sign-in of the person.',
      },
    })
}
