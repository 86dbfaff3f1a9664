import { Elysia } from 'elysia'
import { jsonBody, noBody } from '../../../http/body.ts'
import { FOR_PERSON, failures, JSON_BODY, READING, WRITING } from '../../../http/failures.ts'
import type { Guards } from '../../../http/guards.ts'
import {
  RecoveryCodes,
  TwoFactorDisabled,
  TwoFactorEnabled,
  TwoFactorProof,
  TwoFactorSetup,
  TwoFactorStatus,
} from './schema.ts'
import type { TwoFactorService } from './service.ts'

const ALREADY_ENABLED = ['conflict', 'Two-factor authentication is already enabled.'] as const
const NOT_ENABLED = ['conflict', 'Two-factor authentication is not enabled.'] as const

/** Contract 5.2: the second factor of the signed-in person. */
export function twoFactorRoutes({ forPerson }: Pick<Guards, 'forPerson'>, twoFactor: TwoFactorService) {
  return (
    new Elysia({ name: 'two-factor.routes', prefix: '/v1/security/2fa', tags: ['Security'] })
      .use(forPerson)
      // Secrets and recovery codes are shown only once, so no cache may keep them.
      .onBeforeHandle(({ set }) => {
        set.headers['cache-control'] = 'no-store'
      })
      .post('/setup', ({ caller }) => twoFactor.setup(caller), {
        person: true,
        parse: noBody,
        response: { 200: TwoFactorSetup, ...failures(...FOR_PERSON, ...WRITING, ALREADY_ENABLED) },
        detail: {
          operationId: 'setUpTwoFactor',
          summary: 'Start setting up two-factor authentication',
          description:
            'Confirm the secret with a first code within 15 minutes; calling again replaces the secret.',
        },
      })
      .post('/enable', ({ caller, body }) => twoFactor.enable(caller, body), {
        person: true,
        parse: jsonBody(),
        body: TwoFactorProof,
        response: {
          200: TwoFactorEnabled,
          ...failures(...FOR_PERSON, ...WRITING, ...JSON_BODY, 'invalid_2fa', [
            'conflict',
            'Two-factor authentication is already enabled, or no setup was started in the last 15 minutes.',
          ]),
        },
        detail: {
          operationId: 'enableTwoFactor',
          summary: 'Turn on two-factor authentication with a first code',
          description:
            'From then on every sign-in needs a code, and your other sign-ins end. The code sent here cannot be used again.',
        },
      })
      .post('/disable', ({ caller }) => twoFactor.disable(caller), {
        person: true,
        parse: noBody,
        response: { 200: TwoFactorDisabled, ...failures(...FOR_PERSON, ...WRITING) },
        detail: {
          operationId: 'disableTwoFactor',
          summary: 'Turn off two-factor authentication',
          description: 'The token must come from a sign-in with a code.',
        },
      })
      .get('/status', ({ caller }) => twoFactor.status(caller), {
        person: true,
        response: { 200: TwoFactorStatus, ...failures(...FOR_PERSON, ...READING) },
        detail: {
          operationId: 'getTwoFactorStatus',
          summary: 'Read the state of two-factor authentication',
          description:
            'Tells whether sign-ins need a code, since when, and how many recovery codes are left.',
        },
      })
      .post('/recovery-codes', ({ caller }) => twoFactor.renewRecoveryCodes(caller), {
        person: true,
        parse: noBody,
        response: { 200: RecoveryCodes, ...failures(...FOR_PERSON, ...WRITING, NOT_ENABLED) },
        detail: {
          operationId: 'renewRecoveryCodes',
          summary: 'Create new recovery codes; the old ones stop working',
          description: 'The token must come from a sign-in with a code.',
        },
      })
  )
}
