import { ApiError } from '../../../core/errors.ts'
import { CREDENTIAL_CHARS_MAX, type TokenForm } from './schema.ts'

/** The credentials of a backend (contract 4.4). */
export interface Credentials {
  clientId: string
  clientSecret: string
}

/**
 * Reads the credentials of a token request, from its form or from HTTP Basic (RFC 6749 §2.3.1).
 *
 * @throws ApiError `invalid_request`, `unsupported_grant_type` or `credential_ambiguous`.
 */
export function readCredentials(form: TokenForm, authorization: string | undefined): Credentials {
  if (!form.grant_type) throw missing('grant_type')
  if (form.grant_type !== 'client_credentials') {
    throw new ApiError(
      'unsupported_grant_type',
      'The token endpoint accepts only grant_type=client_credentials',
      {
        details: { oauth_error: 'unsupported_grant_type' },
      },
    )
  }
  const basic = readBasic(authorization)
  // A form may hold fields that were left empty.
  const isOtherId = Boolean(form.client_id) && form.client_id !== basic?.clientId
  if (basic && (form.client_secret || isOtherId)) {
    throw new ApiError(
      'credential_ambiguous',
      'Send the credentials in the form or by HTTP Basic, not both',
      {
        details: { oauth_error: 'invalid_request' },
      },
    )
  }
  if (basic) {
    if (basic.clientId.length > CREDENTIAL_CHARS_MAX || basic.clientSecret.length > CREDENTIAL_CHARS_MAX) {
      throw invalidClient()
    }
    return basic
  }
  if (!form.client_id) throw missing('client_id')
  if (!form.client_secret) throw missing('client_secret')
  return { clientId: form.client_id, clientSecret: form.client_secret }
}

/**
 * Reads the credentials of HTTP Basic, both form-encoded inside the header (RFC 6749 §2.3.1); undefined for another
 * scheme. Undecodable credentials match no client.
 */
function readBasic(authorization: string | undefined): Credentials | undefined {
  const encoded = /^Basic(?: +(.*))?$/i.exec(authorization ?? '')
  if (!encoded) return undefined
  const [id, ...rest] = Buffer.from(encoded[1] ?? '', 'base64')
    .toString('utf8')
    .split(':')
  return { clientId: decodeForm(id ?? ''), clientSecret: decodeForm(rest.join(':')) }
}

const decodeForm = (text: string): string => new URLSearchParams(`v=${text}`).get('v') ?? ''

/** The refusal of a request without a required parameter. */
export const missing = (name: string) =>
  new ApiError('invalid_request', `The parameter ${name} is missing`, {
    details: { parameter: name, oauth_error: 'invalid_request' },
  })

/** The same answer for every id and secret that do not match (RFC 6749 §5.2). */
export const invalidClient = () => {
  const description = 'The credentials are missing or not valid'
  return new ApiError('unauthorized', description, {
    details: { oauth_error: 'invalid_client' },
    fields: { error_description: description },
    headers: { 'www-authenticate': 'Basic realm="lookalike", charset="UTF-8"' },
  })
}
