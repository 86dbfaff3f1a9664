/** An address without its user name and password, and these two. */
export interface SplitUrl {
  url: string
  /** As the address has them: `user:password`, percent-encoded. */
  userInfo: string | null
}

/** Replaces user name and password in answers. */
const MASK = '***:***'

/** Takes user name and password out of an address. What is odd stays, for the check of addresses to refuse. */
export function splitUrl(text: string): SplitUrl {
  const [, scheme = '', userInfo, rest = ''] =
    /^( *https?:\/\/)([^/?#\\\p{Cc}]*)@([\s\S]*)$/iu.exec(text) ?? []
  return userInfo === undefined ? { url: text, userInfo: null } : { url: scheme + rest, userInfo }
}

/** The address as answers show it. */
export const maskUrl = (url: string, hasCredentials: boolean): string =>
  hasCredentials ? url.replace(/^( *https?:\/\/)/i, `$1${MASK}@`) : url

/** Whether these stand for credentials that an answer did not show. */
export const isMask = (userInfo: string | null): boolean => userInfo === MASK

/** `user:password` as HTTP sends it (RFC 7617), in plain characters. */
export function toCredentials(userInfo: string): string {
  const colon = userInfo.indexOf(':')
  const [user, password] = colon < 0 ? [userInfo, ''] : [userInfo.slice(0, colon), userInfo.slice(colon + 1)]
  return `${decode(user)}:${decode(password)}`
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
