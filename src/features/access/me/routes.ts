import { Elysia } from 'elysia'
import { jsonBody, noBody } from '../../../http/body.ts'
import { FOR_CALLER, failures, JSON_BODY, READING, WRITING } from '../../../http/failures.ts'
import type { Guards } from '../../../http/guards.ts'
import {
  Me,
  MePatch,
  PasswordChange,
  PasswordChanged,
  SessionEnded,
  SessionList,
  SessionParams,
  SessionsEnded,
} from './schema.ts'
import type { MeService } from './service.ts'

/** Failures of a route that only a person may call. */
const OWN_ACCOUNT = [...FOR_CALLER, 'permission_denied'] as const

/** Contract 5.5: the caller’s own account, with its sign-ins and its password. */
export function meRoutes({ forCaller }: Pick<Guards, 'forCaller'>, me: MeService) {
  return new Elysia({ name: 'me.routes', prefix: '/v1/me', tags: ['Account'] })
    .use(forCaller)
    .get('', ({ caller }) => me.describe(caller), {
      anyCaller: true,
      response: { 200: Me, ...failures(...FOR_CALLER, ...READING) },
      detail: {
        operationId: 'getMe',
        summary: 'Read who you are, for which store you act, and what you may do',
        description:
          'Tells the kind of the credential, the stores of the person, and the permissions in the store that the request acts for.',
      },
    })
    .patch('', ({ caller, body }) => me.change(caller, body), {
      person: true,
      parse: jsonBody(),
      body: MePatch,
      response: { 200: Me, ...failures(...OWN_ACCOUNT, ...WRITING, ...JSON_BODY) },
      detail: {
        operationId: 'changeMe',
        summary: 'Change your name',
        description: 'The name that other members and the operator see beside your address.',
      },
    })
    .get('/sessions', ({ caller }) => me.listSessions(caller), {
      person: true,
      response: { 200: SessionList, ...failures(...OWN_ACCOUNT, ...READING) },
      detail: {
        operationId: 'listSessions',
        summary: 'List your sign-ins',
        description:
          'Each with its address, its browser and its last use, so that you can end one that is not yours.',
      },
    })
    .delete('/sessions', ({ caller }) => me.endOtherSessions(caller), {
      person: true,
      parse: noBody,
      response: { 200: SessionsEnded, ...failures(...OWN_ACCOUNT, ...WRITING) },
      detail: {
        operationId: 'endOtherSessions',
        summary: 'End all your other sign-ins',
        description: 'Their tokens stop working at once; this sign-in goes on.',
      },
    })
    .delete('/sessions/:session_id', ({ caller, params }) => me.endSession(caller, params.session_id), {
      person: true,
      parse: noBody,
      params: SessionParams,
      response: {
        200: SessionEnded,
        ...failures(...OWN_ACCOUNT, ...WRITING, 'validation_error', [
          'not_found',
          'You have no sign-in with this id.',
        ]),
      },
      detail: {
        operationId: 'endSession',
        summary: 'End one of your sign-ins',
        description: 'Its tokens stop working at once. The ids are those of the list.',
      },
    })
    .post('/password', ({ caller, body }) => me.changePassword(caller, body), {
      person: true,
      parse: jsonBody(),
      body: PasswordChange,
      response: {
        200: PasswordChanged,
        ...failures(...OWN_ACCOUNT, ...WRITING, ...JSON_BODY, [
          'too_many_requests',
          'Too many wrong passwords were sent.',
        ]),
      },
      detail: {
        operationId: 'changePassword',
        summary: 'Change your password; your other sign-ins end',
        description:
          'Needs the present password. The new one must have at least 10 characters and must not be a common one.',
      },
    })
}
