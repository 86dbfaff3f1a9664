import { Elysia } from 'elysia'
import type { AuthPlugin } from '../../../http/auth.ts'
import { jsonOrNothing } from '../../../http/body.ts'
import { bodyErrors, failure, signedInErrors } from '../../../http/schema.ts'
import { ClientSecretRotation, NewClientSecret } from './schema.ts'
import type { ClientSecretService } from './service.ts'

/** D8: the secret of the machine grant. */
export function clientSecretRoutes(auth: AuthPlugin, clientSecret: ClientSecretService) {
  return new Elysia({
    name: 'clientSecret.routes',
    prefix: '/v1/security/client-secret',
    tags: ['Security'],
  })
    .use(auth)
    .post(
      '/rotate',
      ({ actor, body, set }) => {
        set.headers['cache-control'] = 'no-store'
        return clientSecret.rotate(actor, body)
      },
      {
        can: 'security:manage',
        // A person need say nothing.
        parse: jsonOrNothing(),
        body: ClientSecretRotation,
        response: {
          200: NewClientSecret,
          ...signedInErrors,
          ...bodyErrors,
          413: failure('`payload_too_large`'),
          422: failure('`validation_error`'),
          429: failure('`rate_limit_exceeded`; `too_many_requests` after ten wrong client secrets'),
          503: failure('`overloaded`, `storage_full`, `storage_failed`, `read_only`'),
        },
        detail: {
          operationId: 'rotateClientSecret',
          summary: 'Give the store a new client secret; the old one ends at once',
          description:
            'A person needs nothing but the login. A machine grant shows the present secret in the body, so that a stolen access token cannot take the store over; without it, and with a wrong one, `details.required` is `client_secret`. The owners are told by mail.',
        },
      },
    )
}
