/** The form of an origin, in words. */
export const ORIGIN_FORM =
  'scheme, host and an optional port, such as https://shop.example; no path, no wildcard'

/** The hosts that browsers send: names, and addresses as the URL standard writes them. */
const HOST = /^(?:[a-z0-9_-]+(?:\.[a-z0-9_-]+)*\.?|\[[0-9a-f:]+\])$/

/**
 * Reads an origin in the form that browsers send (RFC 6454 §6.2): scheme, host in lower case and punycode, and a port if
 * it is not the default of the scheme.
 *
 * @returns undefined for anything but `scheme://host[:port]`.
 */
export function readOrigin(text: string): string | undefined {
  // Check the text before it is parsed: a URL parser repairs faults that must be refused.
  const url = /^https?:\/\/[^\s/\\?#@*%]+\/?$/i.test(text) ? URL.parse(text) : null
  return url && HOST.test(url.hostname) ? url.origin : undefined
}
