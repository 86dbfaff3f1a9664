import { buildBillingPages } from '../features/billing/pages/module.ts'
import { buildUsage } from '../features/billing/usage/module.ts'
import type { Install } from '../install.ts'
import type { SignInWing } from './access.ts'

export type BillingWing = ReturnType<typeof wireBilling>

/** Builds the counts of what stores use of their plans, and the pages where they pay. */
export function wireBilling(
  { foundation: { base, writes, gate }, stores, accounts, delivery, payments }: Install,
  { signIn }: SignInWing,
) {
  const usage = buildUsage(base, {
    mailOwners: stores.mailOwners,
    publish: delivery.webhooks.service.publish,
    findRenewal: payments.service.findRenewal,
    enqueueWrite: writes.enqueue,
    isHeld: gate.isHeld,
  })
  const billingPages = buildBillingPages(base, {
    payments: payments.service,
    sessions: accounts.sessions.service.sessions,
    signIn: signIn.service.signIn,
    tokens: signIn.service.tokens,
  })
  return { usage, billingPages }
}
