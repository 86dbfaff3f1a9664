import type { CurrentPlan, Invoice, Usage } from '#generated/api.ts'
import { call } from '../../api/client.ts'
import { formatDay, formatMoment, formatMoney, formatNumber } from '../../language.ts'
import { Panel } from '../../parts/panel.tsx'
import { Show } from '../../parts/show.tsx'
import { type Column, Table } from '../../parts/table.tsx'
import { useLoad } from '../../parts/use-load.ts'
import { me } from '../../shell/me.ts'
import type { PageProps } from '../../shell/routes.ts'
import { Meter } from './meter.tsx'
import { Plans } from './plans.tsx'
import { t } from './texts/texts.ts'

/** A store near its limit is told so from this share on. */
const NEAR = 0.8

export function Page({ can, store }: PageProps) {
  const usage = useLoad((signal) => call('GET /v1/billing/usage', { signal }), [store])
  const plan = useLoad((signal) => call('GET /v1/billing/current-plan', { signal }), [store])
  const invoices = useLoad((signal) => call('GET /v1/billing/invoices', { signal }), [store])
  return (
    <div class="plain-page plan">
      <div class="page-head">
        <h1>{t.heading}</h1>
      </div>
      <Panel>
        <h2>{t.used}</h2>
        <Show of={usage}>{(value) => <UsageFigures usage={value} />}</Show>
      </Panel>
      <Panel>
        <h2>{t.plan}</h2>
        <Show of={plan}>
          {(value) => (
            <>
              <PlanLine plan={value} />
              <Plans current={value} mayAsk={can('billing:manage')} onChanged={plan[1]} />
            </>
          )}
        </Show>
      </Panel>
      <Panel>
        <h2>{t.invoices}</h2>
        <Show of={invoices}>{(list) => <Invoices list={list} />}</Show>
      </Panel>
    </div>
  )
}

const KILO = 1_000

/** Bytes as MB or GB with at most one decimal. */
function formatBytes(bytes: number): string {
  const [unit, size] = bytes >= KILO ** 3 ? (['GB', KILO ** 3] as const) : (['MB', KILO ** 2] as const)
  return `${formatNumber(Math.round((bytes / size) * 10) / 10)} ${unit}`
}

/** What is used of what, and when it is full at this pace. */
function UsageFigures({ usage }: { usage: Usage }) {
  const { products_count, max_products, storage_bytes, storage_max_bytes, runs_out_at } = usage
  const isNear = max_products !== null && products_count >= NEAR * max_products
  return (
    <>
      <div class="meters">
        <Meter label={t.products} value={products_count} max={max_products} format={formatNumber} />
        <Meter label={t.storage} value={storage_bytes} max={storage_max_bytes} format={formatBytes} />
      </div>
      <p>
        {runs_out_at ? (
          <strong>{t.runsOut(formatDay(runs_out_at.slice(0, 10)))}</strong>
        ) : max_products === null ? (
          t.noLimit
        ) : products_count >= max_products ? (
          <strong>{t.full}</strong>
        ) : (
          t.lasts
        )}{' '}
        {isNear && t.whatHappens}
      </p>
      <p class="muted">
        {t.period(
          formatNumber(usage.api_calls),
          formatNumber(usage.bulk_items),
          formatDay(usage.period_start.slice(0, 10)),
        )}
      </p>
    </>
  )
}

/** The plan in one line, and who takes the money. */
function PlanLine({ plan }: { plan: CurrentPlan }) {
  const { title, plan_name, price_per_month, currency, renews_at, ends_at, provider } = plan
  const isOwn = me.get()?.user?.is_super_admin
  return (
    <>
      <p>
        <strong dir="auto">{title ?? t.names[plan_name]}</strong>
        {price_per_month > 0 && ` · ${t.aMonth(formatMoney(price_per_month, currency))}`}
        {renews_at && ` · ${t.renews(formatMoment(renews_at))}`}
        {ends_at && ` · ${t.endsAt(formatMoment(ends_at))}`}
      </p>
      {provider === 'manual' && <p class="muted">{isOwn ? t.ownInstallation : t.manual}</p>}
    </>
  )
}

const COLUMNS: Column<Invoice>[] = [
  { label: t.number, draw: ({ number }) => number ?? '–' },
  { label: t.date, draw: ({ date }) => formatDay(date.slice(0, 10)) },
  { label: t.plan, draw: ({ plan_name }) => (plan_name ? t.names[plan_name] : '–') },
  { label: t.amount, isNumber: true, draw: ({ amount, currency }) => formatMoney(amount, currency) },
  { label: t.state, draw: ({ status }) => t.states[status] },
  {
    label: t.document,
    isActions: true,
    draw: ({ pdf_url, number }) =>
      pdf_url && (
        <a href={pdf_url} target="_blank" rel="noopener noreferrer" aria-label={t.openInvoice(number ?? '')}>
          {t.open}
        </a>
      ),
  },
]

const Invoices = ({ list }: { list: readonly Invoice[] }) =>
  list.length === 0 ? (
    <p class="muted">{t.noInvoices}</p>
  ) : (
    <Table label={t.invoices} columns={COLUMNS} rows={list} keyOf={({ id }) => id} />
  )
