import { useState } from 'preact/hooks'
import type { Delivery, DeliveryDetail, Webhook } from '#generated/api.ts'
import { call } from '../../api/client.ts'
import { formatNumber } from '../../language.ts'
import { Choice } from '../../parts/choice.tsx'
import { Dialog } from '../../parts/dialog.tsx'
import { Field } from '../../parts/field.tsx'
import { Moment } from '../../parts/moment.tsx'
import { Failure } from '../../parts/panel.tsx'
import { Show } from '../../parts/show.tsx'
import { type Column, Table } from '../../parts/table.tsx'
import { useLoad } from '../../parts/use-load.ts'
import { usePages } from '../../parts/use-pages.ts'
import { useSending } from '../../parts/use-sending.ts'
import { Message } from './message.tsx'
import { t } from './texts/texts.ts'

const PAGE_SIZE = 25
type State = Delivery['state']

/** What came back, in one line. */
function describeAnswer({ last_status, last_error, state }: Delivery): string {
  if (last_status !== null) return t.answered(last_status)
  if (last_error !== null) return t.reasons[last_error] ?? last_error
  return t.states[state]
}

/** What was sent to an endpoint, and what came back. */
export function DeliveriesDialog({
  endpoint,
  mayChange,
  onClose,
}: {
  endpoint: Webhook
  mayChange: boolean
  onClose(): void
}) {
  const { id, url } = endpoint
  const [state, setState] = useState('')
  const [opened, setOpened] = useState<string | null>(null)
  const test = useSending()
  const list = usePages<Delivery>(
    async (cursor, signal) => {
      const { deliveries, next_cursor } = await call('GET /v1/search/webhooks/{id}/deliveries', {
        path: { id },
        query: { limit: PAGE_SIZE, ...(cursor && { cursor }), ...(state && { state: state as State }) },
        signal,
      })
      return { items: deliveries, next: next_cursor }
    },
    [id, state],
  )
  const columns: Column<Delivery>[] = [
    {
      label: t.event,
      draw: ({ event, is_test }) => (
        <>
          <code>{event}</code>
          {is_test && <span class="muted"> · {t.test}</span>}
        </>
      ),
    },
    { label: t.when, draw: ({ created_at }) => <Moment at={created_at} /> },
    {
      label: t.answer,
      draw: (delivery) => (
        <span class={delivery.state === 'failed' ? 'state problem' : undefined}>
          {describeAnswer(delivery)}
        </span>
      ),
    },
    { label: t.tries, isNumber: true, draw: ({ attempts }) => formatNumber(attempts) },
    {
      label: t.took,
      isNumber: true,
      draw: ({ duration_ms }) => (duration_ms === null ? '–' : t.ms(formatNumber(duration_ms))),
    },
    {
      label: t.actions,
      isActions: true,
      draw: (delivery) => (
        <button type="button" class="link" onClick={() => setOpened(delivery.id)}>
          {t.open}
        </button>
      ),
    },
  ]

  return (
    <Dialog class="wide-drawer" label={t.deliveriesOf(url)} onClose={onClose}>
      <button type="button" class="close" onClick={onClose} aria-label={t.close}>
        ×
      </button>
      <h2>{t.deliveries}</h2>
      <p>
        <code>{url}</code>
      </p>
      {opened ? (
        <Details id={opened} {...{ mayChange }} onBack={() => setOpened(null)} onSent={list.reload} />
      ) : (
        <>
          {mayChange && (
            <p class="actions">
              <button
                type="button"
                disabled={test.isBusy}
                onClick={() =>
                  test.run(async () => {
                    const { id: made } = await call('POST /v1/search/webhooks/{id}/test', {
                      path: { id },
                      body: {},
                    })
                    list.reload()
                    setOpened(made)
                  })
                }
              >
                {test.isBusy ? t.testing : t.sendTest}
              </button>
            </p>
          )}
          {test.error && <Failure error={test.error} />}
          <Choice
            label={t.state}
            value={state}
            onValue={setState}
            choices={[
              ['', t.all],
              ['pending', t.states.pending],
              ['delivered', t.states.delivered],
              ['failed', t.states.failed],
            ]}
          />
          {!list.isLoading && !list.error && list.items.length === 0 && <p class="muted">{t.noDeliveries}</p>}
          {list.items.length > 0 && (
            <Table label={t.deliveries} columns={columns} rows={list.items} keyOf={(one) => one.id} />
          )}
          {list.error && <Failure error={list.error} onRetry={list.more} />}
          {list.hasMore && (
            <button type="button" disabled={list.isLoading} onClick={list.more}>
              {t.more}
            </button>
          )}
          {mayChange && <Recovery id={id} onQueued={list.reload} />}
        </>
      )}
    </Dialog>
  )
}

/** One delivery: request, answer, duration. */
function Details({
  id,
  mayChange,
  onBack,
  onSent,
}: {
  id: string
  mayChange: boolean
  onBack(): void
  onSent(): void
}) {
  const loaded = useLoad(
    (signal) =>
      call('GET /v1/search/webhooks/deliveries/{delivery_id}', { path: { delivery_id: id }, signal }),
    [id],
  )
  const [, reload] = loaded
  const { isBusy, error, run } = useSending()
  const resend = () =>
    run(async () => {
      await call('POST /v1/search/webhooks/deliveries/{delivery_id}/resend', { path: { delivery_id: id } })
      onSent()
      reload()
    })
  return (
    <>
      <p class="actions">
        <button type="button" class="link" onClick={onBack}>
          {t.back}
        </button>
        {mayChange && (
          <button type="button" disabled={isBusy} onClick={resend}>
            {t.resend}
          </button>
        )}
        <button type="button" class="link" onClick={reload}>
          {t.lookAgain}
        </button>
      </p>
      {error && <Failure error={error} />}
      <Show of={loaded}>{(delivery) => <Exchange delivery={delivery} />}</Show>
    </>
  )
}

function Exchange({ delivery }: { delivery: DeliveryDetail }) {
  const { request, answer, attempts, duration_ms, next_attempt_at } = delivery
  return (
    <div class="exchange">
      <p>
        <strong>{describeAnswer(delivery)}</strong>
        <span class="muted">
          {' '}
          · {t.attempts(formatNumber(attempts))}
          {duration_ms !== null && ` · ${t.ms(formatNumber(duration_ms))}`}
          {next_attempt_at && (
            <>
              {' '}
              · {t.nextTry} <Moment at={next_attempt_at} />
            </>
          )}
        </span>
      </p>
      <h3>{t.answer}</h3>
      {answer ? (
        <pre dir="auto">
          {answer.status}
          {answer.body && `\n\n${answer.body}`}
        </pre>
      ) : (
        <p class="muted">{t.noAnswer}</p>
      )}
      <h3>{t.request}</h3>
      <p>
        <code>POST {request.url}</code>
      </p>
      <Message headers={request.headers} body={request.body} />
    </div>
  )
}

/** Sends again what a receiver missed since a moment. */
function Recovery({ id, onQueued }: { id: string; onQueued(): void }) {
  const [since, setSince] = useState('')
  const [queued, setQueued] = useState<number | null>(null)
  const { isBusy, error, run } = useSending()
  return (
    <form
      class="form"
      onSubmit={(event) => {
        event.preventDefault()
        run(async () => {
          const answer = await call('POST /v1/search/webhooks/{id}/recover', {
            path: { id },
            body: { since: new Date(since).toISOString() },
          })
          setQueued(answer.queued)
          onQueued()
        })
      }}
    >
      <h3>{t.recover}</h3>
      <Field
        label={t.recoverSince}
        hint={t.recoverHint}
        type="datetime-local"
        value={since}
        onValue={setSince}
        required
      />
      {error && <Failure error={error} />}
      {queued !== null && !error && <p role="status">{t.queued(formatNumber(queued))}</p>}
      <p>
        <button type="submit" disabled={isBusy || since === ''}>
          {t.recoverNow}
        </button>
      </p>
    </form>
  )
}
