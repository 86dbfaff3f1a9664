import { OutboundError } from './failure.ts'

/**
 * Reads an absolute http or https URL the way a browser does.
 *
 * @param charsMax longest accepted text, in UTF-16 units.
 * @throws OutboundError `url_not_allowed` for other schemes, for credentials, and for forms that parsers read differently.
 */
export function parseHttpUrl(text: string, charsMax: number): URL {
  if (text.length > charsMax) throw refusedUrl(`The URL is longer than ${charsMax} characters`)
  // Parsers disagree about these characters, and attackers use such differences to get past checks.
  if (/[\p{Cc}\\]/u.test(text)) throw refusedUrl('The URL contains a control character or a backslash')
  if (!/^ *https?:\/\/[^/?#]/i.test(text)) throw refusedUrl('The URL must start with http:// or https://')
  if (!URL.canParse(text)) throw refusedUrl('The URL is malformed')
  const url = new URL(text)
  if (/^\.|\.\./.test(url.hostname)) throw refusedUrl('The host name in the URL has an empty label')
  if (/^[^/]*\/\/[^/?#]*@/.test(text)) throw refusedUrl('The URL must not contain a user name or password')
  return url
}

const refusedUrl = (message: string) => new OutboundError('url_not_allowed', message)

/**
 * Resolves the `Location` header of a redirect. The result is checked like any other URL once it is requested.
 *
 * @param location the header as node:http gives it: one character per byte.
 * @returns undefined if the header is missing or malformed.
 * @throws OutboundError `blocked_address` for a target that is not allowed, or that drops TLS.
 */
export function findRedirectTarget(
  from: URL,
  location: string | undefined,
  charsMax: number,
): URL | undefined {
  // Servers send the names of files as UTF-8.
  const target = location === undefined ? '' : Buffer.from(location, 'latin1').toString()
  if (target === '' || !URL.canParse(target, from.href)) return undefined
  const url = asRedirect(() => parseHttpUrl(new URL(target, from.href).href, charsMax))
  if (from.protocol === 'https:' && url.protocol === 'http:') {
    throw new OutboundError('blocked_address', 'The URL redirects from https to http')
  }
  return url
}

function asRedirect(parse: () => URL): URL {
  try {
    return parse()
  } catch (error) {
    throw toRedirectFailure(error)
  }
}

/** The URL that the client sent was fine; only the redirect leads somewhere forbidden. */
export const toRedirectFailure = (error: unknown): unknown =>
  error instanceof OutboundError && error.reason === 'url_not_allowed'
    ? new OutboundError('blocked_address', 'The URL redirects to one that is not allowed', error)
    : error
