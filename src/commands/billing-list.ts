import { isoTime } from '../core/clock.ts'
import { formatAmount, toAmount } from '../core/money.ts'
import type { Command } from './command.ts'
import { withInstall } from './runtime.ts'
import { formatTable } from './table.ts'

/** `lookalike billing list`. */
export const billingList: Command = {
  name: 'billing list',
  summary: 'list the stores that ask for another plan, and the invoices that are not paid',
  options: [{ flag: 'json', meaning: 'print JSON' }],
  settings: ['DATA_DIR', 'BASE_URL'],
  example: 'lookalike billing list',
  async run({ config, options }) {
    const { requests, invoices } = await withInstall(config, ({ billing }) => billing.list())
    if (options['json']) {
      console.log(
        JSON.stringify({ requests: requests.map(viewRequest), invoices: invoices.map(viewInvoice) }),
      )
      return 0
    }
    if (requests.length === 0) console.log('No store asks for another plan.')
    else {
      console.log(
        formatTable([
          ['ID', 'STORE', 'PLAN', 'ASKS FOR', 'A MONTH', 'UNTIL'],
          ...requests.map(({ id, slug, before, plan, amountCents, currency, expiresAt }) => [
            ...[id, slug, before, plan, formatAmount(amountCents, currency), isoTime(expiresAt)],
          ]),
        ]),
      )
    }
    if (invoices.length > 0) {
      console.log(
        `\n${formatTable([
          ['INVOICE', 'STORE', 'AMOUNT', 'DATE'],
          ...invoices.map(({ number, slug, amountCents, currency, issuedAt }) => [
            ...[number ?? '', slug, formatAmount(amountCents, currency), isoTime(issuedAt).slice(0, 10)],
          ]),
        ])}`,
      )
    }
    return 0
  },
}

type Listed = ReturnType<Parameters<Parameters<typeof withInstall>[1]>[0]['billing']['list']>

const viewRequest = ({
  id,
  slug,
  before,
  plan,
  amountCents,
  currency,
  createdAt,
  expiresAt,
  link,
}: Listed['requests'][0]) => ({
  session_id: id,
  slug,
  plan_name: before,
  asks_for: plan,
  amount: toAmount(amountCents, currency),
  currency,
  created_at: isoTime(createdAt),
  expires_at: isoTime(expiresAt),
  checkout_url: link,
})

const viewInvoice = ({
  number,
  slug,
  amountCents,
  currency,
  issuedAt,
  status,
  link,
}: Listed['invoices'][0]) => ({
  number,
  slug,
  amount: toAmount(amountCents, currency),
  currency,
  date: isoTime(issuedAt),
  status,
  pdf_url: link,
})
