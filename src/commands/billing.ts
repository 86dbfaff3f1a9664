import { isoTime } from '../core/clock.ts'
import { formatAmount, toAmount } from '../core/money.ts'
import { wrongUsage } from '../core/operator-error.ts'
import type { Install } from '../install.ts'
import type { Command } from './cli/command.ts'
import { JSON_OPTION } from './cli/options.ts'
import { formatTable } from './cli/table.ts'
import { withInstall } from './service/with-install.ts'

const list: Command = {
  name: 'billing list',
  summary: 'list the stores that ask for another plan, and the invoices that are not paid',
  options: [JSON_OPTION],
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
    console.log(requests.length === 0 ? 'No store asks for another plan.' : formatRequests(requests))
    if (invoices.length > 0) console.log(`\n${formatInvoices(invoices)}`)
    return 0
  },
}

const confirm: Command = {
  name: 'billing confirm',
  summary: 'give a store the plan it asked for and issue the invoice; works while the service runs',
  options: [{ flag: 'paid', meaning: 'the money has arrived: issue the invoice as paid' }, JSON_OPTION],
  positionals: ['ID'],
  settings: ['DATA_DIR', 'BASE_URL'],
  example: 'lookalike billing confirm 01935f3c-6a55-7c52-a0fd-6f0e8ab3b3a1 --paid',
  async run({ config, options, positionals: [id = ''] }) {
    const { checkout, isRepeated, invoice } = await withInstall(config, ({ billing }) =>
      billing.confirm(id, 'operator', options['paid'] === 'true'),
    )
    const { slug, plan } = checkout
    if (options['json']) {
      const status = isRepeated ? 'already_completed' : 'completed'
      const [invoice_number, invoice_url] = [invoice?.number ?? null, invoice?.link ?? null]
      console.log(JSON.stringify({ status, slug, plan_name: plan, invoice_number, invoice_url }))
    } else if (isRepeated) console.log('This request was confirmed before. Nothing has changed.')
    else {
      console.log(`${slug} is now on the plan ${plan}`)
      if (invoice) console.log(`Invoice ${invoice.number}: ${invoice.link}`)
    }
    return 0
  },
}

const settle: Command = {
  name: 'billing settle',
  summary: 'mark an open invoice as paid or void',
  positionals: ['INVOICE', 'STATUS'],
  settings: ['DATA_DIR'],
  example: 'lookalike billing settle 2026-0007 paid',
  async run({ config, positionals: [number = '', status = ''] }) {
    if (status !== 'paid' && status !== 'void') throw wrongUsage('The status must be one of paid, void')
    await withInstall(config, ({ billing }) => billing.settle(number, status))
    console.log(`Invoice ${number} is now ${status}`)
    return 0
  },
}

/** `lookalike billing …`, in the order of the help. */
export const billingCommands: readonly Command[] = [list, confirm, settle]

type Listed = ReturnType<Install['services']['billing']['list']>
type PlanRequest = Listed['requests'][number]
type OpenInvoice = Listed['invoices'][number]

const formatRequests = (requests: readonly PlanRequest[]): string =>
  formatTable([
    ['ID', 'STORE', 'PLAN', 'ASKS FOR', 'A MONTH', 'UNTIL'],
    ...requests.map(({ id, slug, before, plan, amountCents, currency, expiresAt }) => [
      id,
      slug,
      before,
      plan,
      formatAmount(amountCents, currency),
      isoTime(expiresAt),
    ]),
  ])

const formatInvoices = (invoices: readonly OpenInvoice[]): string =>
  formatTable([
    ['INVOICE', 'STORE', 'AMOUNT', 'DATE'],
    ...invoices.map(({ number, slug, amountCents, currency, issuedAt }) => [
      number ?? '',
      slug,
      formatAmount(amountCents, currency),
      isoTime(issuedAt).slice(0, 10),
    ]),
  ])

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
}: PlanRequest) => ({
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

const viewInvoice = ({ number, slug, amountCents, currency, issuedAt, status, link }: OpenInvoice) => ({
  number,
  slug,
  amount: toAmount(amountCents, currency),
  currency,
  date: isoTime(issuedAt),
  status,
  pdf_url: link,
})
