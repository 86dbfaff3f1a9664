import { isoTime } from '../../../core/clock.ts'
import { formatAmount, toMinor } from '../../../core/money.ts'
import { PLAN_NAMES, type PlanName, type Plans } from '../../../core/plans.ts'
import { decimalSize, groupThousands } from '../../../core/text.ts'
import { escapeHtml, page } from '../../../http/page.ts'
import type { ListedCheckout, ListedInvoice } from '../payments/queries.ts'
import type { CheckoutState } from '../payments/schema.ts'

/** Script of the form on the page of a checkout. */
const SCRIPT = '/docs/checkout.js'

const titled = (heading: string, body: string, script?: string): string =>
  page(`${heading} · Lookalike`, `<h1>${heading}</h1>\n    ${body}`, script)

/** A list of terms with values, which are HTML. */
const facts = (rows: readonly (readonly [term: string, value: string])[]): string =>
  `<dl class="facts">${rows.map(([term, value]) => `<div><dt>${term}</dt><dd>${value}</dd></div>`).join('')}</dl>`

const formatDay = (moment: number): string => isoTime(moment).slice(0, 10)
const formatMinute = (moment: number): string => `${isoTime(moment).slice(0, 16).replace('T', ' ')} UTC`

const describeLimit = (limit: number, inWords: (limit: number) => string = groupThousands): string =>
  Number.isFinite(limit) ? inWords(limit) : 'unlimited'

/** The page that refusals for the plan lead to. */
export const plansPage = (plans: Plans): string =>
  titled(
    'Plans',
    `<p>What a store may hold and how often it may ask, by its plan. Moving to a smaller plan deletes nothing.</p>
    <table>
      <thead><tr><th scope="col">Plan</th><th scope="col">Price a month</th><th scope="col">Products</th><th scope="col">Requests a minute</th><th scope="col">Stored pictures</th></tr></thead>
      <tbody>${PLAN_NAMES.map((name) => planRow(plans, name)).join('')}</tbody>
    </table>
    <h2>To change the plan</h2>
    <p>An owner or admin of the store sends <code>POST&nbsp;/v1/billing/checkout</code> with the name of the plan; the answer leads to the page where the change is paid for or confirmed. The <a href="/docs">API page</a> sends it for you, and the <a href="/docs/guide/billing">guide</a> explains it.</p>
    <p>The operator of this service can also change the plan: <code>lookalike store set-plan SLUG PLAN</code>.</p>`,
  )

function planRow(plans: Plans, name: PlanName): string {
  const { title, pricePerMonth, productsMax, requestsPerMinute, storageBytesMax } = plans[name]
  const { currency } = plans
  const cells = [
    ['Price a month', formatAmount(toMinor(pricePerMonth, currency), currency)],
    ['Products', describeLimit(productsMax)],
    ['Requests a minute', describeLimit(requestsPerMinute)],
    ['Stored pictures', describeLimit(storageBytesMax, decimalSize)],
  ]
  return `<tr><th scope="row">${title === null ? name : `${escapeHtml(title)} (<code>${name}</code>)`}</th>${cells.map(([label, value]) => `<td data-label="${label}">${value}</td>`).join('')}</tr>`
}

/** The text of the page about a request that needs nothing more. */
const STATES: Readonly<
  Record<Exclude<CheckoutState, 'open'>, readonly [heading: string, text: (plan: string) => string]>
> = {
  completed: [
    'The plan is changed',
    (plan) => `The store is on the plan ${plan}, as it asked. Nothing is left to do.`,
  ],
  replaced: [
    'This request was replaced',
    () => 'The store has asked for another plan since. Only the link of that request can be confirmed.',
  ],
  expired: [
    'This request has expired',
    () => 'Nobody confirmed it in time, and the plan has not changed. The store can ask again.',
  ],
}

const checkoutFacts = ({
  slug,
  storeName,
  before,
  plan,
  amountCents,
  currency,
  createdAt,
  expiresAt,
}: ListedCheckout): string =>
  facts([
    ['Store', `${escapeHtml(storeName)} (<code>${escapeHtml(slug)}</code>)`],
    ['Plan now', before],
    ['Plan asked for', plan],
    ['Price a month', formatAmount(amountCents, currency)],
    ['Asked on', formatMinute(createdAt)],
    ['Open until', formatMinute(expiresAt)],
  ])

const CONFIRM_FORM = `<h2>For the operator</h2>
      <noscript><p class="problem">The form below needs JavaScript. Turn it on, or run the command below.</p></noscript>
      <form id="form" method="post" hidden>
        <p>A super-admin of this service confirms with e-mail address and password.</p>
        <p class="problem" role="alert" id="problem" tabindex="-1" hidden></p>
        <p>
          <label for="email">E-mail address</label>
          <input id="email" type="email" autocomplete="username" required />
        </p>
        <p>
          <label for="password">Password</label>
          <input id="password" type="password" autocomplete="current-password" required />
        </p>
        <p id="code-field" hidden>
          <label for="code">Code of the authenticator, or a recovery code</label>
          <input id="code" type="text" autocomplete="one-time-code" maxlength="40" spellcheck="false" />
        </p>
        <p id="paid-field"><label class="choice"><input type="checkbox" id="paid" /> The money has arrived</label></p>
        <p><button type="submit" id="send" data-idle="Confirm the plan" data-busy="Confirming …">Confirm the plan</button></p>
      </form>`

/** The page of a request for another plan. @param warnings what the plan would mean for the store. */
export function checkoutPage(
  checkout: ListedCheckout,
  state: CheckoutState,
  warnings: readonly string[],
): string {
  if (state !== 'open') {
    const [heading, text] = STATES[state]
    return titled(heading, `<p>${text(checkout.plan)}</p>\n    ${checkoutFacts(checkout)}`)
  }
  const warned = warnings.map((warning) => `<p class="notice">${escapeHtml(warning)}</p>`).join('\n    ')
  if (checkout.provider === 'stripe') {
    return titled(
      'Waiting for the payment',
      `<p>Stripe has not told this service of the payment yet. That takes some seconds after you have paid: load this page again.</p>
    ${checkoutFacts(checkout)}`,
    )
  }
  return page(
    `A store asks for another plan · Lookalike`,
    `<div id="ask">
      <h1>A store asks for another plan</h1>
      <p>The operator of this service takes the payments and confirms the change. Until then the plan stays as it is. If you asked for it, you need not do anything here: you get a mail, or ask the operator.</p>
      ${checkoutFacts(checkout)}
      ${warned}
      ${CONFIRM_FORM}
      <p>At the command line of the machine: <code>lookalike billing confirm ${checkout.id}</code></p>
    </div>
    <section data-outcome="done" hidden>
      <h1 tabindex="-1">The plan is changed</h1>
      <p>The store <code>${escapeHtml(checkout.slug)}</code> is now on the plan ${checkout.plan}. Its owners get a mail.</p>
      <p id="invoice" hidden>Invoice <span data-fill="invoice_number"></span> is issued: <a id="invoice-link" href="#">read and print it</a>.</p>
    </section>
    <section data-outcome="already" hidden>
      <h1 tabindex="-1">This request was confirmed before</h1>
      <p>Nothing has changed: the store <code>${escapeHtml(checkout.slug)}</code> had got the plan ${checkout.plan} already.</p>
    </section>`,
    SCRIPT,
  )
}

const INVOICE_STATES = { open: 'To be paid', paid: 'Paid', void: 'Void' } as const

/** An invoice, to read and to print. @param issuer address of this service. */
export function invoicePage(invoice: ListedInvoice, issuer: string): string {
  const { number, slug, storeName, plan, amountCents, currency, status } = invoice
  const amount = formatAmount(amountCents, currency)
  const title = `Invoice ${escapeHtml(number ?? invoice.id)}`
  return titled(
    title,
    `<p class="invoice-state" data-state="${status}">${INVOICE_STATES[status]}</p>
    ${facts([
      ['From', `The operator of ${escapeHtml(issuer)}`],
      ['To', `${escapeHtml(storeName)} (<code>${escapeHtml(slug)}</code>)`],
      ['Date', formatDay(invoice.issuedAt)],
      ...(invoice.settledAt !== null && status === 'paid'
        ? [['Paid on', formatDay(invoice.settledAt)] as const]
        : []),
    ])}
    <table class="invoice">
      <thead><tr><th scope="col">What</th><th scope="col">Period</th><th scope="col">Amount</th></tr></thead>
      <tbody>
        <tr><td data-label="What">Lookalike, plan ${plan ?? ''}</td><td data-label="Period">${formatDay(invoice.periodStart)} to ${formatDay(invoice.periodEnd)}</td><td data-label="Amount">${amount}</td></tr>
      </tbody>
      <tfoot><tr><th scope="row" colspan="2">Total</th><td data-label="Total">${amount}</td></tr></tfoot>
    </table>
    <p class="muted screen">To keep this invoice, print the page or save it as PDF.</p>`,
  )
}

/** Answers a link to an invoice after its week. */
export const oldInvoiceLinkPage = (): string =>
  titled(
    'This link has expired',
    '<p>Links to invoices work for seven days. <code>GET&nbsp;/v1/billing/invoices</code> gives an owner or admin of the store a fresh one.</p>',
  )

/** Answers a link that is wrong. */
export const noSuchLinkPage = (): string =>
  titled('This link does not work', '<p>It is incomplete or was changed. Open the whole link again.</p>')
