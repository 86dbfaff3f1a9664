import { useEffect, useState } from 'preact/hooks'
import type { Analytics, SearchSource } from '#generated/api.ts'
import { call } from '../../api/client.ts'
import { formatDay, formatNumber } from '../../language.ts'
import { Choice } from '../../parts/choice.tsx'
import { Field } from '../../parts/field.tsx'
import { Failure, Panel } from '../../parts/panel.tsx'
import { useLoad } from '../../parts/use-load.ts'
import { address, addressOf, type PageProps, setQuery } from '../../shell/routes.ts'
import { useSignal } from '../../signal.ts'
import { type Asked, readAsked, SPANS, toQuery } from './asked.ts'
import { DayPlot } from './day-plot.tsx'
import { Figures } from './figures.tsx'
import { InVain } from './in-vain.tsx'
import { Queries, Sources, TopProducts } from './tables.tsx'
import { t } from './texts/texts.ts'

export function Page({ store, can }: PageProps) {
  const query = useSignal(address).split('?')[1] ?? ''
  const asked = readAsked(new URLSearchParams(query))
  const mayRead = can('search:read')
  const [loaded, retry] = useLoad<Analytics | null>(
    async (signal) => (mayRead ? call('GET /v1/search/analytics', { query: toQuery(asked), signal }) : null),
    [store, mayRead, JSON.stringify(asked)],
  )
  const answer = loaded.state === 'there' ? loaded.value : null

  function change(changes: Readonly<Record<string, string>>) {
    const next = new URLSearchParams(query)
    for (const [name, value] of Object.entries(changes))
      if (value) next.set(name, value)
      else next.delete(name)
    setQuery(next)
  }

  if (!mayRead)
    return (
      <>
        <h1>{t.heading}</h1>
        <p class="muted">{t.noRights}</p>
      </>
    )
  return (
    <div class="analytics">
      <div class="heading">
        <h1>{t.heading}</h1>
        <a href={addressOf(store, 'searches')}>{t.log}</a>
      </div>
      <Period asked={asked} onChange={change} answer={answer} />
      {loaded.state === 'failed' && <Failure error={loaded.error} onRetry={retry} />}
      {loaded.state === 'loading' && <div class="plot-place" aria-busy="true" />}
      {answer && <Answer {...{ answer, asked, store, can }} />}
    </div>
  )
}

interface PeriodProps {
  asked: Asked
  answer: Analytics | null
  onChange(changes: Readonly<Record<string, string>>): void
}

/** Which days, which key, which page. */
function Period({ asked, answer, onChange }: PeriodProps) {
  const { days, from, to, compares, key, origin } = asked
  const [sources, setSources] = useState<readonly SearchSource[]>([])
  useEffect(() => {
    // A narrowed answer names the chosen sources alone.
    if (answer && key === '' && origin === '') setSources(answer.by_source)
  }, [answer])
  const keys = new Map(
    sources.flatMap((one) => (one.key_id ? [[one.key_id, one.key_name ?? t.revoked]] : [])),
  )
  const origins = [...new Set(sources.flatMap((one) => one.origin ?? []))]
  const today = new Date().toISOString().slice(0, 10)
  return (
    <div class="period">
      <div class="field">
        <p class="label" aria-hidden="true">
          {t.period}
        </p>
        <fieldset class="spans" aria-label={t.period}>
          {SPANS.map((span) => (
            <button
              key={span}
              type="button"
              aria-pressed={span === days}
              onClick={() => onChange({ days: String(span), from: '', to: '' })}
            >
              {t.days(formatNumber(span))}
            </button>
          ))}
        </fieldset>
      </div>
      <Field
        label={t.from}
        type="date"
        value={from}
        max={to || today}
        onValue={(date) => onChange({ from: date, ...(date && { days: '' }) })}
      />
      <Field
        label={t.to}
        type="date"
        value={to}
        min={from}
        max={today}
        disabled={!from}
        onValue={(date) => onChange({ to: date })}
      />
      {(keys.size > 0 || key !== '') && (
        <Choice
          label={t.key}
          value={key}
          onValue={(value) => onChange({ key: value })}
          choices={[['', t.all], ...keys]}
        />
      )}
      {(origins.length > 0 || origin !== '') && (
        <Choice
          label={t.origin}
          value={origin}
          onValue={(value) => onChange({ origin: value })}
          choices={[['', t.all], ...origins.map((one) => [one, new URL(one).host] as const)]}
        />
      )}
      <label class="check">
        <input
          type="checkbox"
          checked={compares}
          onChange={({ currentTarget: { checked } }) => onChange({ compare: checked ? '' : 'no' })}
        />
        {t.compare}
      </label>
    </div>
  )
}

function Answer({ answer, asked, store, can }: PageProps & { answer: Analytics; asked: Asked }) {
  const { period, tracking, searches, previous, revenue } = answer
  const isEmpty = searches.total === 0 && revenue.length === 0 && (previous?.searches.total ?? 0) === 0
  const isNarrowed = asked.key !== '' || asked.origin !== ''
  return (
    <>
      {isEmpty ? (
        <div class="empty">
          <h2>{t.empty}</h2>
          <p>{t.emptyHint}</p>
          <a class="primary" href={addressOf(store, 'widget')}>
            {t.checkTracking}
          </a>
        </div>
      ) : (
        <>
          <p class="health" data-status={tracking.status}>
            {t.tracking[tracking.status] ?? <span lang="en">{tracking.message}</span>}{' '}
            {tracking.status !== 'ok' && <a href={addressOf(store, 'widget')}>{t.checkTracking}</a>}
          </p>
          <p class="muted">{t.span(formatDay(period.from), formatDay(period.to), period.timezone)}</p>
          <Panel>
            <Figures answer={answer} />
          </Panel>
          <Panel>
            <DayPlot answer={answer} asked={asked} />
          </Panel>
          {isNarrowed ? (
            <p class="muted">{t.notByPage}</p>
          ) : (
            <>
              <Panel>
                <TopProducts products={answer.top_products} store={store} />
              </Panel>
              <Panel class="halves">
                <Queries answer={answer} store={store} mayWrite={can('search:write')} />
              </Panel>
            </>
          )}
          <Panel>
            <Sources sources={answer.by_source} />
          </Panel>
        </>
      )}
      <Panel>
        <InVain store={store} maySwitch={can('security:manage')} />
      </Panel>
    </>
  )
}
