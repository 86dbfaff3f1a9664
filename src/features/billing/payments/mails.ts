import { formatAmount } from '../../../core/money.ts'
import type { PlanName } from '../../../core/plans.ts'
import type { Mail } from '../../../platform/mail/mailer.ts'

// These texts name a store by its slug, because a stranger may have typed its name.

const mail = (to: string, subject: string, ...paragraphs: string[]): Mail => ({
  to,
  subject,
  text: `${paragraphs.join('\n\n')}\n`,
})

interface Asked {
  id: string
  slug: string
  before: PlanName
  plan: PlanName
  amountCents: number
  currency: string
  link: string
}

/** Tells a super-admin that a store asks for another plan. */
export const askedMail = (to: string, { id, slug, before, plan, amountCents, currency, link }: Asked): Mail =>
  mail(
    to,
    `${slug} asks for the plan ${plan}`,
    `The store ${slug} is on the plan ${before} and asks for the plan ${plan} (${formatAmount(amountCents, currency)} a month).`,
    'To give the store the plan, open this page and confirm the change with your password, or run the command below it. If you do nothing, the request expires after seven days.',
    link,
    `lookalike billing confirm ${id}`,
  )

interface Confirmed {
  slug: string
  plan: PlanName
  /** undefined where there is nothing to pay. */
  invoice:
    | { number: string; amountCents: number; currency: string; link: string; isPaid: boolean }
    | undefined
}

/** Tells an owner that a store has the plan it asked for. */
export const confirmedMail = (to: string, { slug, plan, invoice }: Confirmed): Mail =>
  mail(
    to,
    `${slug} is now on the plan ${plan}`,
    `The operator has confirmed your request: the store ${slug} is now on the plan ${plan}.`,
    ...(invoice
      ? [
          `Invoice ${invoice.number} over ${formatAmount(invoice.amountCents, invoice.currency)} is ${invoice.isPaid ? 'paid' : 'open; the operator tells you how to pay it'}. You can read and print it here for seven days, and GET /v1/billing/invoices gives a new link at any time:`,
          invoice.link,
        ]
      : []),
  )
