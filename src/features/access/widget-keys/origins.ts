/** What an origin looks like, for people. */
export const ORIGIN_FORM =
  'scheme, host and perhaps a port, such as https://shop.example; no path, no wildcard'

/** The hosts that browsers send: names, and addresses as the URL standard writes them. */
const HOST = /^(?:[a-z0-9_-]+(?:\.[a-z0-9_-]+)*\.?|\[[0-9a-f:]+\])$/

/**
 * The form that browsers send (RFC 6454 §6.2): scheme, host in lower case and punycode, and a port that is not the
 * scheme's own.
 *
 * @returns undefined for anything but `scheme://host[:port]`.
 */
export function exactOrigin(text: string): string | undefined {
  // The shape is checked in the text, for a URL parser repairs what should be refused.
  const url = /^https?:\/\/[^\s/\\?#@*%]+\/?$/i.test(text) ? URL.parse(text) : null
  return url && HOST.test(url.hostname) ? url.origin : undefined
}
