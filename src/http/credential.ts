import { ApiError, credentialMissing } from '../core/errors.ts'

/** The prefix of every API key; no access token begins with it. */
export const API_KEY_PREFIX = 'sk_live_'

/** The one credential of a request. */
export interface Credential {
  kind: 'token' | 'key'
  text: string
}

/**
 * Reads the credential of a request: an access token or an API key in `Authorization: Bearer`, or an API key in
 * `X-API-Key`.
 *
 * @throws ApiError `credential_ambiguous` for more than one, and for a credential in the URL, which would end up in
 * logs; `unauthorized` for none.
 */
export function readCredential(request: Request): Credential {
  const authorization = request.headers.get('authorization')
  const apiKey = request.headers.get('x-api-key')
  if (hasCredentialInAddress(request.url)) {
    throw ambiguous('Send the credential in a header: URLs end up in logs and histories')
  }
  // Several headers with one name arrive as one text with commas, which no credential contains.
  if ((authorization !== null && apiKey !== null) || authorization?.includes(',') || apiKey?.includes(',')) {
    throw ambiguous('More than one credential was sent')
  }
  if (apiKey !== null) {
    if (!/^\S+$/.test(apiKey)) throw credentialMissing()
    return { kind: 'key', text: apiKey }
  }
  const text = /^Bearer +(\S+)$/i.exec(authorization ?? '')?.[1]
  if (!text) throw credentialMissing()
  return { kind: text.startsWith(API_KEY_PREFIX) ? 'key' : 'token', text }
}

/** Query parameters that some clients use for credentials (RFC 6750 §2.3 discourages it). */
const CREDENTIAL_PARAMETERS = /[?&](?:access_token|api[_-]?key|x-api-key)=/i

const hasCredentialInAddress = (url: string): boolean => {
  const query = url.indexOf('?')
  return query >= 0 && (CREDENTIAL_PARAMETERS.test(url) || url.includes(API_KEY_PREFIX, query))
}

const ambiguous = (message: string) => new ApiError('credential_ambiguous', message)
