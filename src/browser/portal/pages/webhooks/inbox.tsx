import { useState } from 'preact/hooks'
import type { InboxEntry } from '#generated/api.ts'
import { call } from '../../api/client.ts'
import { Choice } from '../../parts/choice.tsx'
import { Field } from '../../parts/field.tsx'
import { Moment } from '../../parts/moment.tsx'
import { Show } from '../../parts/show.tsx'
import { useLoad } from '../../parts/use-load.ts'
import { Message } from './message.tsx'
import { t } from './texts/texts.ts'

const SHOWN = 10

/** The last messages, sent or not: with it one sees what webhooks say before there is any receiver. */
export function Inbox() {
  const loaded = useLoad((signal) => call('GET /v1/search/webhooks/inbox', { signal }), [])
  const [, reload] = loaded
  return (
    <>
      <div class="page-head">
        <div>
          <h2>{t.inbox}</h2>
          <p class="muted">{t.inboxHint}</p>
        </div>
        <button type="button" onClick={reload}>
          {t.lookAgain}
        </button>
      </div>
      <Show of={loaded}>{({ deliveries }) => <Entries entries={deliveries} />}</Show>
    </>
  )
}

function Entries({ entries }: { entries: readonly InboxEntry[] }) {
  const [event, setEvent] = useState('')
  const [product, setProduct] = useState('')
  const [shown, setShown] = useState(SHOWN)
  if (entries.length === 0) return <p class="note">{t.inboxEmpty}</p>
  const events = [...new Set(entries.map((entry) => entry.event))].sort()
  const fitting = entries.filter(
    (entry) =>
      (event === '' || entry.event === event) &&
      (product === '' || (entry.body ?? '').includes(product.trim())),
  )
  return (
    <>
      <div class="filters">
        <Choice
          label={t.event}
          value={event}
          onValue={setEvent}
          choices={[['', t.all], ...events.map((one) => [one, one] as const)]}
        />
        <Field label={t.productId} type="search" value={product} onValue={setProduct} maxLength={200} />
      </div>
      {fitting.length === 0 && <p class="muted">{t.noneFits}</p>}
      <ul class="inbox">
        {fitting.slice(0, shown).map((entry, n) => (
          <li key={entry.delivery_id ?? `${entry.timestamp} ${n}`}>
            <details>
              <summary>
                <code>{entry.event}</code>{' '}
                <span class={entry.state === 'failed' ? 'state problem' : 'muted'}>
                  {t.states[entry.state]} · <Moment at={entry.timestamp} />
                  {entry.url && ` · ${entry.url}`}
                </span>
              </summary>
              <Message headers={entry.headers} body={entry.body} />
            </details>
          </li>
        ))}
      </ul>
      {fitting.length > shown && (
        <button type="button" class="link" onClick={() => setShown(shown + SHOWN)}>
          {t.more}
        </button>
      )}
    </>
  )
}
