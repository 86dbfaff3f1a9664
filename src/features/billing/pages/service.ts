import type { ClientInfo } from '../../../core/actor.ts'
import { notFound, superAdminOnly } from '../../../core/errors.ts'
import type { Tokens } from '../../../http/access-tokens.ts'
import type { BufferedSessions } from '../../access/sessions/buffered-sessions.ts'
import type { UserToken } from '../../access/sign-in/schema.ts'
import type { SignInService } from '../../access/sign-in/service.ts'
import type { Base } from '../../module.ts'
import type { ConfirmService } from '../payments/confirm.ts'
import type { Links } from '../payments/links.ts'
import type { ListedCheckout, ListedInvoice } from '../payments/queries.ts'
import type { CheckoutConfirmation, CheckoutConfirmed } from './schema.ts'

export interface BillingPagesDeps extends Pick<Base, 'atomically' | 'record'> {
  desk: Pick<ConfirmService, 'find' | 'findInvoice' | 'demandOpen' | 'confirm'>
  links: Pick<Links, 'readCheckout' | 'readInvoice'>
  signIn: SignInService['signIn']
  tokens: Pick<Tokens, 'read'>
  sessions: Pick<BufferedSessions, 'endSession'>
}

export type BillingPagesService = ReturnType<typeof billingPagesService>

/** The pages about checkouts and invoices. */
export function billingPagesService(deps: BillingPagesDeps) {
  const { desk, links } = deps

  /** @throws ApiError `not_found` for a link that is wrong. */
  function findCheckout(token: string): ListedCheckout {
    const id = links.readCheckout(token)
    const checkout = id === undefined ? undefined : desk.find(id)
    if (!checkout) throw notFound('checkout')
    return checkout
  }

  /** Ends the sign-in that a confirmation has made. */
  async function endSignIn({ access_token, user_id }: UserToken): Promise<void> {
    const sessionId = (await deps.tokens.read(access_token))?.sid
    if (sessionId !== undefined) deps.sessions.endSession(sessionId, user_id)
  }

  function refuse({ storeId, id }: ListedCheckout, userId: string, clientInfo: ClientInfo): never {
    deps.atomically(() =>
      deps.record({
        ...{
          action: 'billing.confirmation_refused',
          actorKind: 'person',
          storeId,
          userId,
          keyId: null,
          clientInfo,
        },
        details: { checkout_id: id },
      }),
    )
    throw superAdminOnly()
  }

  return {
    findCheckout,

    /** @returns undefined for a link that has expired. @throws ApiError `not_found` for one that is wrong. */
    findInvoice(token: string): ListedInvoice | undefined {
      const found = links.readInvoice(token)
      const invoice = found && desk.findInvoice(found.id)
      if (!found || !invoice) throw notFound('invoice')
      return found.isExpired ? undefined : invoice
    },

    /**
     * POST /billing/checkout/{token}. The credentials come with the request, so no other page can make a browser confirm
     * anything. They are checked, counted and locked out as a sign-in is.
     *
     * @throws ApiError the codes of a sign-in; `permission_denied` for a person who is no super-admin; `not_found`;
     *   `conflict` for a request that can no longer be confirmed.
     */
    async confirm(
      token: string,
      body: CheckoutConfirmation,
      clientInfo: ClientInfo,
    ): Promise<CheckoutConfirmed> {
      const checkout = findCheckout(token)
      // A code is used up by a sign-in, and must not be used up in vain.
      desk.demandOpen(checkout)
      const { is_paid: isPaid = false, ...credentials } = body
      const person = await deps.signIn(credentials, clientInfo)
      await endSignIn(person)
      if (!person.is_super_admin) refuse(checkout, person.user_id, clientInfo)
      const { isRepeated, invoice } = desk.confirm(
        checkout.id,
        { userId: person.user_id, clientInfo },
        isPaid,
      )
      return {
        status: isRepeated ? 'already_completed' : 'completed',
        plan_name: checkout.plan,
        invoice_number: invoice?.number ?? null,
        invoice_url: invoice?.link ?? null,
      }
    },
  }
}
