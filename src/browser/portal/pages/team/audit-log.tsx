import { useState } from 'preact/hooks'
import type { AuditEvent, Operations } from '#generated/api.ts'
import { call, callRaw } from '../../api/client.ts'
import { formatMoment } from '../../language.ts'
import { Choice } from '../../parts/choice.tsx'
import { Download } from '../../parts/download.tsx'
import { Field } from '../../parts/field.tsx'
import { Moment } from '../../parts/moment.tsx'
import { Failure } from '../../parts/panel.tsx'
import { usePages } from '../../parts/use-pages.ts'
import { nameAction, tellEvent } from './audit-sentence.ts'
import { t } from './texts/texts.ts'

type AuditQuery = Operations['GET /v1/security/audit']['query']

const PAGE_SIZE = 30
const ACTIONS: [string, string][] = [
  ['', t.everything],
  ...Object.keys(t.acts)
    .map((action): [string, string] => [action, nameAction(action)])
    .sort(([, a], [, b]) => a.localeCompare(b)),
]

/** The day as the moment at which it begins, here. */
const startOf = (day: string): string => new Date(`${day}T00:00:00`).toISOString()

function endOf(day: string): string {
  const next = new Date(`${day}T00:00:00`)
  next.setDate(next.getDate() + 1)
  return next.toISOString()
}

/** Who did what in the store, newest first. */
export function AuditLog() {
  const [action, setAction] = useState('')
  const [since, setSince] = useState('')
  const [until, setUntil] = useState('')
  const query: Partial<AuditQuery> = {
    ...(action && { action: action as NonNullable<AuditQuery['action']> }),
    ...(since && { since: startOf(since) }),
    ...(until && { until: endOf(until) }),
  }
  const { items, isLoading, error, hasMore, more } = usePages<AuditEvent>(
    async (cursor, signal) => {
      const { events, next_cursor } = await call('GET /v1/security/audit', {
        query: { ...query, limit: PAGE_SIZE, ...(cursor && { cursor }) },
        signal,
      })
      return { items: events, next: next_cursor }
    },
    [action, since, until],
  )
  return (
    <>
      <div class="filters">
        <Choice label={t.what} value={action} onValue={setAction} choices={ACTIONS} />
        <Field label={t.since} type="date" value={since} onValue={setSince} />
        <Field label={t.until} type="date" value={until} onValue={setUntil} />
      </div>
      {items.length === 0 && !isLoading && !error && <p class="muted">{t.nothingDone}</p>}
      <ul class="audit" aria-busy={isLoading}>
        {items.map((event) => (
          <Line key={event.id} event={event} />
        ))}
      </ul>
      {error && <Failure error={error} onRetry={more} />}
      <p class="actions">
        {hasMore && (
          <button type="button" disabled={isLoading} onClick={more}>
            {t.more}
          </button>
        )}
        <Download
          label={t.csv}
          name="audit.csv"
          load={() => callRaw('GET /v1/security/audit', { query: { ...query, format: 'csv' } }, 'text/csv')}
        />
      </p>
    </>
  )
}

const Line = ({ event }: { event: AuditEvent }) => (
  <li>
    <details>
      <summary>
        <span dir="auto">{tellEvent(event)}</span>{' '}
        <span class="muted">
          <Moment at={event.created_at} />
        </span>
      </summary>
      <dl class="facts">
        <dt>{t.when}</dt>
        <dd>{formatMoment(event.created_at)}</dd>
        <dt>{t.action}</dt>
        <dd>
          <code>{event.action}</code>
        </dd>
        {event.ip_address && (
          <>
            <dt>{t.address}</dt>
            <dd>
              <code>{event.ip_address}</code>
            </dd>
          </>
        )}
        {event.request_id && (
          <>
            <dt>{t.request}</dt>
            <dd>
              <code>{event.request_id}</code>
            </dd>
          </>
        )}
        {Object.entries(event.details).map(([name, value]) => (
          <Detail key={name} name={name} value={value} />
        ))}
      </dl>
    </details>
  </li>
)

const Detail = ({ name, value }: { name: string; value: unknown }) => (
  <>
    <dt>
      <code>{name}</code>
    </dt>
    <dd dir="auto">{typeof value === 'object' ? JSON.stringify(value) : String(value)}</dd>
  </>
)
