import { DAY_MS } from '../../../core/clock.ts'
import { isSameHash } from '../../../core/secrets.ts'
import type { SecretBox } from '../../../platform/secret-box.ts'

export type Links = ReturnType<typeof createLinks>

/** How long the link to an invoice works. */
const INVOICE_LINK_MS = 7 * DAY_MS

const CHECKOUT = 'checkout link'
const INVOICE = 'invoice link'

const CHECKOUT_TOKEN = /^([0-9a-f-]{36})\.([\w-]{43})$/
const INVOICE_TOKEN = /^([0-9a-f-]{36})\.(\d{1,15})\.([\w-]{43})$/

/**
 * Makes the addresses of the pages about a checkout and about an invoice, which browsers open without a sign-in. Each holds
 * a code that only this install can make, so nobody guesses one.
 */
export function createLinks(
  { digest }: Pick<SecretBox, 'digest'>,
  { baseUrl, now }: { baseUrl(): string; now(): number },
) {
  const isRight = (code: string, plain: string, context: string): boolean =>
    isSameHash(Buffer.from(code, 'base64url'), digest(plain, context))

  return {
    checkout: (id: string): string =>
      `${baseUrl()}/billing/checkout/${id}.${digest(id, CHECKOUT).toString('base64url')}`,

    /** A link that works for a week, so that one that leaks dies. */
    invoice(id: string): string {
      const plain = `${id}.${now() + INVOICE_LINK_MS}`
      return `${baseUrl()}/billing/invoices/${plain}.${digest(plain, INVOICE).toString('base64url')}`
    },

    /** Reads the last part of the address. @returns the id of the checkout. */
    readCheckout(token: string): string | undefined {
      const [, id = '', code = ''] = CHECKOUT_TOKEN.exec(token) ?? []
      return id !== '' && isRight(code, id, CHECKOUT) ? id : undefined
    },

    /** Reads the last part of the address. @returns the id of the invoice, and whether the link still works. */
    readInvoice(token: string): { id: string; isExpired: boolean } | undefined {
      const [, id = '', expires = '', code = ''] = INVOICE_TOKEN.exec(token) ?? []
      if (id === '' || !isRight(code, `${id}.${expires}`, INVOICE)) return undefined
      return { id, isExpired: Number(expires) <= now() }
    },
  }
}
