import { Elysia } from 'elysia'
import { urlencodedBody } from '../../http/body.ts'
import { failure } from '../../http/schema.ts'
import { AccessToken, TokenForm } from './schema.ts'
import type { AuthService } from './service.ts'

const FORM_BYTES_MAX = 8 * 1024

/** Spec §4.1: the machine grant. */
export function authRoutes(auth: AuthService) {
  return new Elysia({ name: 'auth.routes', prefix: '/oauth', tags: ['Authentication'] }).post(
    '/token',
    ({ body, headers, set }) => {
      set.headers['cache-control'] = 'no-store'
      return auth.grant(body, headers['authorization'])
    },
    {
      parse: urlencodedBody(FORM_BYTES_MAX, 'grant_type=client_credentials&client_id=…&client_secret=…'),
      body: TokenForm,
      response: {
        200: AccessToken,
        400: failure('`invalid_request`, `unsupported_grant_type`, `credential_ambiguous`'),
        401: failure('`unauthorized` with `details.oauth_error`'),
        413: failure('`payload_too_large`'),
        415: failure('`unsupported_media_type`: send a form, not JSON'),
        422: failure('`validation_error`'),
      },
      detail: {
        operationId: 'createToken',
        summary: 'Exchange client_id and client_secret for an access token',
        description: 'Form-encoded, not JSON (RFC 6749 §4.4.2); HTTP Basic works as well.',
      },
    },
  )
}
