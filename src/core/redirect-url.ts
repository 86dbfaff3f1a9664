/** Spaces, control characters, and the backslash, which browsers read as a slash. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for.
const UNSAFE = /[\s\\\u0000-\u001f\u007f-\u009f]/

/**
 * Says why a browser must not be sent to an address, which is http, https, or a path of the page's own site.
 *
 * @returns undefined for an address that is allowed.
 */
export function findRedirectFault(address: string): string | undefined {
  if (UNSAFE.test(address)) return 'must not have spaces, control characters or backslashes'
  // Two slashes would name another host.
  if (address.startsWith('/')) return address.startsWith('//') ? SCHEMES : undefined
  const url = /^https?:\/\/[^/]/i.test(address) ? URL.parse(address) : null
  if (!url || url.hostname === '') return SCHEMES
  return url.username !== '' || url.password !== '' ? 'must not have a name or a password' : undefined
}

const SCHEMES = 'must begin with https://, http:// or one slash'
