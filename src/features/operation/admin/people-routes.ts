import { Elysia } from 'elysia'
import { noBody } from '../../../http/body.ts'
import { FOR_SUPER_ADMIN, failures, READING, WRITING } from '../../../http/failures.ts'
import type { Guards } from '../../../http/guards.ts'
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
  { forSuperAdmin }: Pick<Guards, 'forSuperAdmin'>,
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
