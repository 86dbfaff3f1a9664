import { useState } from 'preact/hooks'
import type { NewWebhook, Webhook, WebhookInput } from '#generated/api.ts'
import { pickChanges } from '../../api/changes.ts'
import { call, type Versioned } from '../../api/client.ts'
import type { CallError } from '../../api/errors.ts'
import { Check } from '../../parts/check.tsx'
import { NotSaved, type Shown } from '../../parts/conflict.tsx'
import { Copied } from '../../parts/copy.tsx'
import { Dialog } from '../../parts/dialog.tsx'
import { Field } from '../../parts/field.tsx'
import { Latest } from '../../parts/latest.tsx'
import { useSending } from '../../parts/use-sending.ts'
import { t } from './texts/texts.ts'

type Event = WebhookInput['events'][number]
const EVENTS = Object.keys(t.events) as Event[]

/** The setting with which the operator allows a receiver in the own network, for the address that was typed. */
function nameNetwork(url: string): string {
  const host = URL.canParse(url) ? new URL(url).hostname : ''
  return `WEBHOOK_ALLOW_CIDRS=${host.startsWith('192.168.') ? '192.168.0.0/16' : host.startsWith('10.') ? '10.0.0.0/8' : '127.0.0.0/8'}`
}

interface FormProps {
  onSaved(made: NewWebhook | null): void
  onClose(): void
}

/** Creates an endpoint, or changes one. @param id of the endpoint that is changed. */
export function EndpointDialog({ id, ...form }: FormProps & { id: string | null }) {
  const title = id === null ? t.newEndpoint : t.editEndpoint
  return (
    <Dialog class="asked" label={title} onClose={form.onClose}>
      {id === null ? (
        <EndpointForm {...{ title, ...form }} latest={null} />
      ) : (
        <Latest of="GET /v1/search/webhooks/{id}" id={id}>
          {(latest) => <EndpointForm {...{ title, latest, ...form }} />}
        </Latest>
      )}
    </Dialog>
  )
}

/** The fields of an endpoint as texts by their labels. */
const show = ({ url, description, events }: Webhook): Shown => ({
  [t.url]: url,
  [t.description]: description ?? '',
  [t.tellWhen]: events.map((name) => t.events[name]).join(', '),
})

function EndpointForm({
  title,
  latest,
  onSaved,
  onClose,
}: FormProps & { title: string; latest: Versioned<Webhook> | null }) {
  const endpoint = latest?.value
  const [url, setUrl] = useState(endpoint?.url ?? '')
  const [description, setDescription] = useState(endpoint?.description ?? '')
  const [events, setEvents] = useState<readonly Event[]>(
    endpoint?.events ?? ['product.indexed', 'product.updated', 'product.deleted'],
  )
  const { isBusy, error, run } = useSending()

  /** @param ifMatch the version that may be overwritten. */
  async function save(ifMatch: string | null) {
    const body = { url: url.trim(), events: [...events] }
    if (endpoint) {
      await call('PATCH /v1/search/webhooks/{id}', {
        path: { id: endpoint.id },
        body: pickChanges(endpoint, { ...body, description: description.trim() || null }),
        ifMatch,
      })
      return onSaved(null)
    }
    onSaved(
      await call('POST /v1/search/webhooks', {
        body: { ...body, ...(description.trim() && { description: description.trim() }) },
      }),
    )
  }

  return (
    <form
      onSubmit={(event) => {
        event.preventDefault()
        run(() => save(latest?.version ?? null))
      }}
    >
      <h2>{title}</h2>
      <Field
        {...{ label: t.url, hint: t.urlHint, value: url, onValue: setUrl, type: 'url' }}
        placeholder="https://shop.example/hooks/lookalike"
        maxLength={2000}
        required
        takesFocus
      />
      <Field label={t.description} value={description} onValue={setDescription} maxLength={200} />
      <fieldset class="ticks">
        <legend>{t.tellWhen}</legend>
        {EVENTS.map((name) => (
          <Check
            key={name}
            checked={events.includes(name)}
            onChange={(isOn) => setEvents(isOn ? [...events, name] : events.filter((one) => one !== name))}
          >
            {t.events[name]} <code class="muted">{name}</code>
          </Check>
        ))}
      </fieldset>
      <NotSaved
        {...{ error, isBusy }}
        before={endpoint ? show(endpoint) : {}}
        load={async (signal) =>
          show(await call('GET /v1/search/webhooks/{id}', { path: { id: endpoint?.id ?? '' }, signal }))
        }
        onSave={(present) => run(() => save(present))}
      />
      {error && <Cure {...{ error, url }} />}
      <p class="actions">
        <button type="submit" class="primary" disabled={isBusy || url.trim() === '' || events.length === 0}>
          {endpoint ? t.save : t.create}
        </button>
        <button type="button" onClick={onClose}>
          {t.cancel}
        </button>
      </p>
    </form>
  )
}

/** An address that is not allowed has a cure that only the operator can take. */
const Cure = ({ error, url }: { error: CallError; url: string }) =>
  error.code === 'url_not_allowed' ? (
    <div class="note form">
      <p>{t.ownNetwork}</p>
      <Copied text={nameNetwork(url)} />
    </div>
  ) : null
