import { domainToASCII } from 'node:url'

/** Longest address and longest part before the @ (RFC 5321 §4.5.3.1). */
const ADDRESS_CHARS_MAX = 254
const LOCAL_CHARS_MAX = 64

/** The characters of RFC 5322 §3.2.3, which cannot make one address look like several. */
const LOCAL = /^[a-z0-9!#$%&'*+/=?^_`{|}~.-]+$/

/** At least two labels; the last is not a number, since that would be an IPv4 address. */
const DOMAIN = /^(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+(?!\d+$)[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])$/

/**
 * Pattern of a plausible mail address, for schemas; {@link normaliseEmail} is stricter. Full-width and small @ count as
 * @ (NFKC).
 */
export const EMAIL_SHAPE = '^\\s*[^\\s@\\uff20\\ufe6b]+[@\\uff20\\ufe6b][^\\s@\\uff20\\ufe6b]+\\s*$'

/**
 * Gives every mail address one form, so that an address has one account: folds compatibility forms (NFKC) and case, and
 * writes the domain in ASCII (IDNA).
 *
 * @returns undefined for anything else. Letters outside ASCII before the @ are refused, because they can imitate
 *   others.
 */
export function normaliseEmail(text: string): string | undefined {
  const folded = text.normalize('NFKC').trim().toLowerCase()
  const [local = '', domain = '', ...rest] = folded.split('@')
  if (rest.length > 0 || local.length > LOCAL_CHARS_MAX || !LOCAL.test(local)) return undefined
  // No domain holds characters that end or are decoded in a URL.
  if (/[\s%/\\?#:[\]]/.test(domain)) return undefined
  const ascii = domainToASCII(domain)
  const address = `${local}@${ascii}`
  return DOMAIN.test(ascii) && address.length <= ADDRESS_CHARS_MAX ? address : undefined
}

/** The problem of an address that {@link normaliseEmail} refuses, with the code of the schema's pattern. */
export const EMAIL_FAULT = {
  code: 'pattern',
  message: 'must be a mail address like anna@shop.example, with no letters outside a-z before the @',
} as const

/** Describes to the operator why {@link normaliseEmail} refuses an address. */
export const findEmailFault = (text: string): string =>
  // Without an @, advice about letters would not help.
  /[^ -~][^@]*@/.test(text) ? EMAIL_FAULT.message : 'must be a mail address like anna@shop.example'
