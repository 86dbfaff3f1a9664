import { useState } from 'preact/hooks'
import type { AdminInvoice, AdminPlanRequest } from '#generated/api.ts'
import { call } from '../../api/client.ts'
import { formatMoney } from '../../language.ts'
import { Moment } from '../../parts/moment.tsx'
import { Panel } from '../../parts/panel.tsx'
import { Act, Command } from './act.tsx'
import { commandOf } from './command.ts'
import { PagedTable } from './paged-table.tsx'
import { StateChoice } from './state-choice.tsx'
import { StoreLink } from './store-link.tsx'
import { t } from './texts/texts.ts'

export function Tab() {
  const [round, setRound] = useState(0)
  const [told, setTold] = useState('')
  return (
    <>
      <div class="heading">
        <h1>{t.tabs.billing}</h1>
      </div>
      <p role="status">{told}</p>
      <Panel class="block">
        <h2>{t.requests}</h2>
        <p class="muted">{t.requestsHint}</p>
        <Requests
          round={round}
          onConfirmed={(text) => {
            setTold(text)
            setRound((n) => n + 1)
          }}
        />
        <Command line={commandOf('billing list')} />
      </Panel>
      <Panel class="block">
        <h2>{t.invoices}</h2>
        <Invoices round={round} onSettled={() => setRound((n) => n + 1)} />
      </Panel>
    </>
  )
}

function Requests({ round, onConfirmed }: { round: number; onConfirmed(told: string): void }) {
  const confirm = async ({ id }: AdminPlanRequest, is_paid: boolean) => {
    const { store, plan_name, invoice_number } = await call('POST /v1/admin/billing/requests/{id}/confirm', {
      path: { id },
      body: { is_paid },
    })
    onConfirmed(t.confirmed(store.slug, plan_name, invoice_number))
    return null
  }
  return (
    <PagedTable<AdminPlanRequest>
      label={t.requests}
      columns={[
        { label: t.store, draw: StoreLink },
        { label: t.has, draw: ({ plan_name }) => plan_name },
        { label: t.asksFor, draw: ({ asks_for }) => <strong>{asks_for}</strong> },
        { label: t.amount, draw: ({ amount, currency }) => formatMoney(amount, currency), isNumber: true },
        {
          label: t.asked,
          draw: ({ created_at }) => <Moment at={created_at} />,
        },
        {
          label: t.confirm,
          isActions: true,
          draw: (request) => (
            <>
              <Act
                label={t.confirmPaid}
                command={commandOf('billing confirm', [request.id], { paid: true })}
                run={() => confirm(request, true)}
              />
              <Act
                label={t.confirmUnpaid}
                command={commandOf('billing confirm', [request.id])}
                run={() => confirm(request, false)}
              />
            </>
          ),
        },
      ]}
      question={String(round)}
      load={async (cursor, signal) => {
        const { requests, next_cursor } = await call('GET /v1/admin/billing/requests', {
          query: cursor === null ? {} : { cursor },
          signal,
        })
        return { items: requests, next: next_cursor }
      }}
      keyOf={({ id }) => id}
      empty={<p class="muted">{t.noRequests}</p>}
    />
  )
}

const STATUSES = ['', 'open', 'paid', 'void'] as const

function Invoices({ round, onSettled }: { round: number; onSettled(): void }) {
  const [status, setStatus] = useState<(typeof STATUSES)[number]>('')
  const settle = async ({ id }: AdminInvoice, as: 'paid' | 'void') => {
    await call('POST /v1/admin/billing/invoices/{id}/settle', { path: { id }, body: { status: as } })
    onSettled()
    return null
  }
  return (
    <>
      <div class="filters">
        <StateChoice value={status} states={STATUSES} names={t.invoiceStates} onValue={setStatus} />
      </div>
      <PagedTable<AdminInvoice>
        label={t.invoices}
        columns={[
          {
            label: t.invoice,
            draw: ({ number, id, pdf_url }) =>
              pdf_url ? (
                <a href={pdf_url} target="_blank" rel="noopener noreferrer">
                  {number ?? id}
                </a>
              ) : (
                (number ?? id)
              ),
          },
          { label: t.store, draw: StoreLink },
          { label: t.plan, draw: ({ plan_name }) => plan_name ?? '–' },
          { label: t.amount, draw: ({ amount, currency }) => formatMoney(amount, currency), isNumber: true },
          { label: t.date, draw: ({ date }) => <Moment at={date} /> },
          { label: t.state, draw: ({ status }) => <span class="state">{t.invoiceStates[status]}</span> },
          {
            label: t.settle,
            isActions: true,
            draw: (invoice) =>
              invoice.status === 'open' &&
              invoice.provider === 'manual' && (
                <>
                  <Act
                    label={t.markPaid}
                    command={commandOf('billing settle', [invoice.number ?? invoice.id, 'paid'])}
                    run={() => settle(invoice, 'paid')}
                  />
                  <Act
                    label={t.markVoid}
                    command={commandOf('billing settle', [invoice.number ?? invoice.id, 'void'])}
                    run={() => settle(invoice, 'void')}
                  />
                </>
              ),
          },
        ]}
        question={JSON.stringify([status, round])}
        load={async (cursor, signal) => {
          const { invoices, next_cursor } = await call('GET /v1/admin/billing/invoices', {
            query: { ...(status && { status }), ...(cursor !== null && { cursor }) },
            signal,
          })
          return { items: invoices, next: next_cursor }
        }}
        keyOf={({ id }) => id}
        empty={<p class="muted">{t.noInvoices}</p>}
      />
    </>
  )
}
