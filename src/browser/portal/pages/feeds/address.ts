/** The login that stands in the address of a feed; the API shows it as stars. */
const MASK = '***'

/** Some servers take a password without a name. */
export function hasLogin(url: string): boolean {
  const parsed = URL.parse(url)
  return parsed !== null && parsed.username + parsed.password !== ''
}

/** The address without its login, for people. */
export function withoutLogin(url: string): string {
  if (!hasLogin(url)) return url
  const parsed = new URL(url)
  parsed.username = ''
  parsed.password = ''
  return parsed.href
}

/**
 * Puts a login into an address.
 *
 * @param login null for none; `kept` for the one that the service has.
 */
export function withLogin(url: string, login: { user: string; password: string } | 'kept' | null): string {
  if (login === null || !URL.canParse(url)) return url
  if (login === 'kept') return url.replace(/^(https?:\/\/)/i, `$1${MASK}:${MASK}@`)
  const parsed = new URL(url)
  parsed.username = login.user
  parsed.password = login.password
  return parsed.href
}
