import { Elysia } from 'elysia'
import type { CallerPlugin } from '../../../http/auth.ts'
import { jsonBody, noBody } from '../../../http/body.ts'
import { bodyErrors, failure, signedInErrors, storageErrors } from '../../../http/schema.ts'
import {
  Me,
  PasswordChange,
  PasswordChanged,
  SessionEnded,
  SessionList,
  SessionParams,
  SessionsEnded,
} from './schema.ts'
import type { MeService } from './service.ts'

/** D10: the caller’s own account, with its logins and its password. */
export function meRoutes(auth: CallerPlugin, me: MeService) {
  return new Elysia({ name: 'me.routes', prefix: '/v1/me', tags: ['Account'] })
    .use(auth)
    .get('', ({ caller }) => me.me(caller), {
      anyone: true,
      response: { 200: Me, ...signedInErrors },
      detail: { operationId: 'getMe', summary: 'Who calls, for which store, with which permissions' },
    })
    .get('/sessions', ({ caller }) => me.sessions(caller), {
      person: true,
      response: { 200: SessionList, ...signedInErrors },
      detail: { operationId: 'listSessions', summary: 'List your logins' },
    })
    .delete('/sessions', ({ caller }) => me.endOtherSessions(caller), {
      person: true,
      parse: noBody,
      response: { 200: SessionsEnded, ...signedInErrors, ...storageErrors },
      detail: { operationId: 'endOtherSessions', summary: 'End all your logins but this one' },
    })
    .delete('/sessions/:session_id', ({ caller, params }) => me.endSession(caller, params.session_id), {
      person: true,
      parse: noBody,
      params: SessionParams,
      response: { 200: SessionEnded, 404: failure('`not_found`'), ...signedInErrors, ...storageErrors },
      detail: { operationId: 'endSession', summary: 'End one of your logins' },
    })
    .post('/password', ({ caller, body }) => me.changePassword(caller, body), {
      person: true,
      parse: jsonBody(),
      body: PasswordChange,
      response: {
        200: PasswordChanged,
        ...signedInErrors,
        ...bodyErrors,
        429: failure('`too_many_requests`, `rate_limit_exceeded`'),
      },
      detail: {
        operationId: 'changePassword',
        summary: 'Change your password; your other logins end',
      },
    })
}
