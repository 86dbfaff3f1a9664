import { Elysia } from 'elysia'
import { jsonOrNothing } from '../../../http/body.ts'
import { FOR_STORE, failures, JSON_BODY, READING, WRITING } from '../../../http/failures.ts'
import type { Guards } from '../../../http/guards.ts'
import { ClientSecret, ClientSecretRotation, NewClientSecret } from './schema.ts'
import type { ClientSecretService } from './service.ts'

/** Routes about the secret of the machine grant (contract 4.9). */
export function clientSecretRoutes(
  { forStoreSecurity }: Pick<Guards, 'forStoreSecurity'>,
  clientSecret: ClientSecretService,
) {
  return new Elysia({
    name: 'clientSecret.routes',
    prefix: '/v1/security/client-secret',
    tags: ['Security'],
  })
    .use(forStoreSecurity)
    .get('', ({ actor }) => clientSecret.show(actor.storeId), {
      can: 'security:read',
      response: { 200: ClientSecret, ...failures(...FOR_STORE, ...READING) },
      detail: {
        operationId: 'getClientSecret',
        summary: 'Read when the client secret was made and used',
        description: 'Never shows the secret itself, of which only a hash is kept.',
      },
    })
    .post(
      '/rotate',
      ({ actor, body, set }) => {
        set.headers['cache-control'] = 'no-store'
        return clientSecret.rotate(actor, body)
      },
      {
        can: 'security:manage',
        // A person sends no body.
        parse: jsonOrNothing(),
        body: ClientSecretRotation,
        response: {
          200: NewClientSecret,
          ...failures(...FOR_STORE, ...WRITING, ...JSON_BODY, [
            'too_many_requests',
            'Ten wrong client secrets were sent within 15 minutes.',
          ]),
        },
        detail: {
          operationId: 'rotateClientSecret',
          summary: 'Replace the client secret; the old one stops working at once',
          description:
            'A person sends no body. A machine grant sends the current secret in the body, so that a stolen access token cannot take over the store; if the secret is missing or wrong, `details.required` is `client_secret`. The owners are notified by mail.',
        },
      },
    )
}
