/** Messages for the developer about a key. */
import type { ServiceError } from './client.ts'

const HINT = 'Find it with: lookalike key list.'

export function describeRefusal({ code, details }: ServiceError): string {
  const { origin } = location
  switch (code) {
    case 'origin_not_allowed':
      return (
        `${origin} is not among the origins of this key. Add it with PATCH /v1/security/public-keys/{id}, ` +
        'or make another key: lookalike key create.'
      )
    case 'origin_missing':
      return 'this page has no origin, so no key can allow it. Open it from a web server.'
    case 'store_suspended':
      return 'the store of this key is suspended.'
    case 'permission_denied':
      return `this key does not allow ${details['required']}.`
    default:
      return `the service does not know the key in data-key. ${HINT}`
  }
}

/** @param key what stands in the place of a widget key. */
export const describeKey = (key: string): string =>
  key === '' || /^pk_/.test(key)
    ? `data-key is no widget key. ${HINT}`
    : 'data-key holds a secret that every visitor of this page can read. Rotate it now ' +
      `(lookalike key revoke or store new-secret), and put a widget key here. ${HINT}`
