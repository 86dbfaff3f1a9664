import { Elysia } from 'elysia'
import type { AuthPlugin } from '../../http/auth.ts'
import { noBody } from '../../http/body.ts'
import { failure, signedInErrors } from '../../http/schema.ts'
import { NewClientSecret } from './schema.ts'
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
      ({ actor, set }) => {
        set.headers['cache-control'] = 'no-store'
        return clientSecret.rotate(actor)
      },
      {
        can: 'security:manage',
        parse: noBody,
        response: {
          200: NewClientSecret,
          ...signedInErrors,
          503: failure('`overloaded`, `storage_full`, `storage_failed`, `read_only`'),
        },
        detail: {
          operationId: 'rotateClientSecret',
          summary: 'Give the store a new client secret; the old one ends at once',
        },
      },
    )
}
