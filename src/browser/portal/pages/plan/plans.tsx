import { useState } from 'preact/hooks'
import type { Checkout, CurrentPlan, Plan, StartedCheckout } from '#generated/api.ts'
import { call } from '../../api/client.ts'
import { formatMoment, formatMoney, formatNumber } from '../../language.ts'
import { Confirm } from '../../parts/confirm.tsx'
import { Copied } from '../../parts/copy.tsx'
import { Show } from '../../parts/show.tsx'
import { type Column, Table } from '../../parts/table.tsx'
import { useLoad } from '../../parts/use-load.ts'
import { address, setQuery } from '../../shell/routes.ts'
import { useSignal } from '../../signal.ts'
import { t } from './texts/texts.ts'

const nameOf = ({ title, plan_name }: Pick<Plan, 'title' | 'plan_name'>): string =>
  title ?? t.names[plan_name]

/** All plans, and what became of a request for another one. The address holds the request, so that one can come back to it. */
export function Plans({
  current,
  mayAsk,
  onChanged,
}: {
  current: CurrentPlan
  mayAsk: boolean
  onChanged(): void
}) {
  const plans = useLoad((signal) => call('GET /v1/billing/plans', { signal }), [current.plan_name])
  const [wanted, setWanted] = useState<Plan | null>(null)
  const [started, setStarted] = useState<StartedCheckout | null>(null)
  const requested = new URLSearchParams(useSignal(address).split('?')[1]).get('request')

  const columns: Column<Plan>[] = [
    {
      label: t.plan,
      draw: (plan) => <strong dir="auto">{nameOf(plan)}</strong>,
    },
    {
      label: t.price,
      draw: ({ price_per_month, currency }) =>
        price_per_month === 0 ? t.free : t.aMonth(formatMoney(price_per_month, currency)),
    },
    {
      label: t.products,
      draw: ({ max_products }) => (max_products === null ? t.unlimited : formatNumber(max_products)),
    },
    {
      label: t.rate,
      draw: ({ rate_per_minute }) => (rate_per_minute === null ? t.unlimited : formatNumber(rate_per_minute)),
    },
    {
      label: t.choice,
      isActions: true,
      draw: (plan) =>
        plan.is_current ? (
          <span class="muted">{t.isCurrent}</span>
        ) : mayAsk ? (
          <button type="button" class="link" onClick={() => setWanted(plan)}>
            {t.ask(nameOf(plan))}
          </button>
        ) : null,
    },
  ]
  return (
    <>
      {mayAsk && requested && <Requested id={requested} {...{ started, onChanged }} />}
      {!mayAsk && <p class="muted">{t.mayNotAsk}</p>}
      <Show of={plans}>
        {(list) => (
          <Table label={t.plans} columns={columns} rows={list} keyOf={({ plan_name }) => plan_name} />
        )}
      </Show>
      {wanted && (
        <Confirm
          question={t.askSure(nameOf(wanted))}
          action={t.ask(nameOf(wanted))}
          onConfirm={async () => {
            const answer = await call('POST /v1/billing/checkout', { body: { plan_name: wanted.plan_name } })
            setStarted(answer)
            setQuery(new URLSearchParams({ request: answer.session_id }))
          }}
          onClose={() => setWanted(null)}
        >
          <p>{current.provider === 'manual' ? t.askManual : t.askStripe}</p>
          <p class="muted">{t.smaller}</p>
        </Confirm>
      )}
    </>
  )
}

/** A request for another plan: what happens now, and what became of it. */
function Requested({
  id,
  started,
  onChanged,
}: {
  id: string
  started: StartedCheckout | null
  onChanged(): void
}) {
  const loaded = useLoad(
    (signal) => call('GET /v1/billing/checkout/{session_id}', { path: { session_id: id }, signal }),
    [id],
  )
  const [, reload] = loaded
  return (
    <div class="note request" role="status">
      <Show of={loaded}>{(checkout) => <State checkout={checkout} />}</Show>
      {started?.session_id === id && (
        <>
          {started.warnings.map((warning) => (
            <p key={warning} lang="en">
              {warning}
            </p>
          ))}
          {started.provider === 'manual' ? (
            <>
              <p>{t.sendLink}</p>
              <Copied text={started.checkout_url} label={t.copyLink} />
            </>
          ) : (
            <p>
              <a href={started.checkout_url} target="_blank" rel="noopener noreferrer">
                {t.pay}
              </a>
            </p>
          )}
        </>
      )}
      <p>
        <button
          type="button"
          class="link"
          onClick={() => {
            reload()
            onChanged()
          }}
        >
          {t.lookAgain}
        </button>
      </p>
    </div>
  )
}

/** What became of a request, with what happens now. */
const State = ({
  checkout: { status, plan_name, provider, created_at, expires_at },
}: {
  checkout: Checkout
}) => (
  <>
    <p>
      <strong>{t.asked(t.names[plan_name], formatMoment(created_at))}</strong>
    </p>
    <p>
      {status === 'open'
        ? provider === 'manual'
          ? t.waitsManual(formatMoment(expires_at))
          : t.waitsStripe(formatMoment(expires_at))
        : t.outcomes[status]}
    </p>
  </>
)
