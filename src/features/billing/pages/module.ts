import type { Guards } from '../../../http/guards.ts'
import type { Base, Module } from '../../module.ts'
import type { PaymentsModule } from '../payments/module.ts'
import { billingPageRoutes } from './routes.ts'
import { type BillingPagesDeps, billingPagesService } from './service.ts'

export interface BillingPagesNeeds extends Pick<BillingPagesDeps, 'signIn' | 'tokens' | 'sessions'> {
  payments: PaymentsModule['service']
}

/**
 * Wires the pages of billing. On one of them a super-admin confirms a payment: the page signs them in by the ordinary
 * sign-in, with its throttles, and ends that sign-in at once.
 */
export function buildBillingPages(base: Base, { payments, ...needs }: BillingPagesNeeds) {
  const { desk, links } = payments
  const service = billingPagesService({ ...base, ...needs, desk, links })
  const { readState, listWarnings } = desk
  return {
    service,
    routes: (guards: Guards) => billingPageRoutes(guards, service, { ...base, readState, listWarnings }),
  } satisfies Module<object>
}
