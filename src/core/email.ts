import { domainToASCII } from 'node:url'

/** RFC 5321 §4.5.3.1: of the whole address and of the part before the @. */
const ADDRESS_CHARS_MAX = 254
const LOCAL_CHARS_MAX = 64

/** The characters of RFC 5322 §3.2.3, so that nothing in an address can be taken for several. */
const LOCAL = /^[a-z0-9!#$%&'*+/=?^_`{|}~.-]+$/

/** Two labels at least; the last is no number, for that would be an IPv4 address. */
const DOMAIN = /^(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+(?!\d+$)[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])$/

/**
 * Pattern of what looks like a mail address, for schemas; of these {@link normaliseEmail} refuses some. Full-width and
 * small @ count (NFKC).
 */
export const EMAIL_SHAPE = '^\\s*[^\\s@\\uff20\\ufe6b]+[@\\uff20\\ufe6b][^\\s@\\uff20\\ufe6b]+\\s*$'

/**
 * The one form of a mail address, so that an address has one account: compatibility forms (NFKC) and case are folded,
 * and the domain is written in ASCII (IDNA).
 *
 * @returns undefined for what is no address. So are letters outside ASCII before the @, which could pass for others.
 */
export function normaliseEmail(text: string): string | undefined {
  const folded = text.normalize('NFKC').trim().toLowerCase()
  const [local = '', domain = '', ...rest] = folded.split('@')
  if (rest.length > 0 || local.length > LOCAL_CHARS_MAX || !LOCAL.test(local)) return undefined
  // What a URL would decode or end at is not looked at: no domain has it.
  if (/[\s%/\\?#:[\]]/.test(domain)) return undefined
  const ascii = domainToASCII(domain)
  const address = `${local}@${ascii}`
  return DOMAIN.test(ascii) && address.length <= ADDRESS_CHARS_MAX ? address : undefined
}

/** What is wrong with an address that {@link normaliseEmail} refuses; the code is that of the schema's pattern. */
export const EMAIL_FAULT = {
  code: 'pattern',
  message: 'must be a mail address like anna@shop.example, with no letters but a-z before the @',
} as const
