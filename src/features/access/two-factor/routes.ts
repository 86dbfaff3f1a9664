import { Elysia } from 'elysia'
import type { CallerPlugin } from '../../../http/auth.ts'
import { jsonBody, noBody } from '../../../http/body.ts'
import { bodyErrors, failure, signedInErrors } from '../../../http/schema.ts'
import {
  RecoveryCodes,
  TwoFactorDisabled,
  TwoFactorEnabled,
  TwoFactorProof,
  TwoFactorSetup,
  TwoFactorStatus,
} from './schema.ts'
import type { TwoFactorService } from './service.ts'

const writeErrors = { ...signedInErrors, 503: failure('`storage_full`, `storage_failed`, `read_only`') }
const inWrongState = { 409: failure('`conflict`') }

/** Spec §4.7: the second factor of the person who calls. */
export function twoFactorRoutes(auth: CallerPlugin, twoFactor: TwoFactorService) {
  return (
    new Elysia({ name: 'two-factor.routes', prefix: '/v1/security/2fa', tags: ['Security'] })
      .use(auth)
      // Secrets and recovery codes are shown once, and no cache shall show them again.
      .onBeforeHandle(({ set }) => {
        set.headers['cache-control'] = 'no-store'
      })
      .post('/setup', ({ caller }) => twoFactor.setup(caller), {
        person: true,
        parse: noBody,
        response: { 200: TwoFactorSetup, ...inWrongState, ...writeErrors },
        detail: {
          operationId: 'setUpTwoFactor',
          summary: 'Begin to set up two-factor authentication',
          description: 'The secret waits 15 minutes for its first code; a second call replaces it.',
        },
      })
      .post('/enable', ({ caller, body }) => twoFactor.enable(caller, body), {
        person: true,
        parse: jsonBody(),
        body: TwoFactorProof,
        response: {
          200: TwoFactorEnabled,
          ...inWrongState,
          ...bodyErrors,
          ...writeErrors,
          401: failure('`unauthorized`, `token_expired`, `active_tenant_required`, `invalid_2fa`'),
          422: failure('`validation_error`'),
        },
        detail: {
          operationId: 'enableTwoFactor',
          summary: 'Switch two-factor authentication on with a first code',
          description:
            'Every login then needs a code, and your other logins end. The code that is sent here is used up.',
        },
      })
      .post('/disable', ({ caller }) => twoFactor.disable(caller), {
        person: true,
        parse: noBody,
        response: { 200: TwoFactorDisabled, ...writeErrors },
        detail: {
          operationId: 'disableTwoFactor',
          summary: 'Switch two-factor authentication off',
          description: 'The token must come from a login with a code.',
        },
      })
      .get('/status', ({ caller }) => twoFactor.status(caller), {
        person: true,
        response: { 200: TwoFactorStatus, ...signedInErrors },
        detail: { operationId: 'getTwoFactorStatus', summary: 'Read the state of two-factor authentication' },
      })
      .post('/recovery-codes', ({ caller }) => twoFactor.renewRecoveryCodes(caller), {
        person: true,
        parse: noBody,
        response: { 200: RecoveryCodes, ...inWrongState, ...writeErrors },
        detail: {
          operationId: 'renewRecoveryCodes',
          summary: 'Make new recovery codes; the old ones end',
          description: 'The token must come from a login with a code.',
        },
      })
  )
}
