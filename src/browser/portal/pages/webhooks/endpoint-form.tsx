import { useState } from 'preact/hooks'
import type { NewWebhook, Webhook, WebhookInput } from '#generated/api.ts'
import { call } from '../../api/client.ts'
import type { CallError } from '../../api/errors.ts'
import { Check } from '../../parts/check.tsx'
import { Copied } from '../../parts/copy.tsx'
import { Dialog } from '../../parts/dialog.tsx'
import { Field } from '../../parts/field.tsx'
import { Failure } from '../../parts/panel.tsx'
import { useSending } from '../../parts/use-sending.ts'
import { t } from './texts/texts.ts'

type Event = WebhookInput['events'][number]
const EVENTS = Object.keys(t.events) as Event[]

/** The setting with which the operator allows a receiver in the own network, for the address that was typed. */
function nameNetwork(url: string): string {
  const host = URL.canParse(url) ? new URL(url).hostname : ''
  return `WEBHOOK_ALLOW_CIDRS=${host.startsWith('192.168.') ? '192.168.0.0/16' : host.startsWith('10.') ? '10.0.0.0/8' : '127.0.0.0/8'}`
}

/** Creates an endpoint, or changes one. */
export function EndpointForm({
  endpoint,
  onSaved,
  onClose,
}: {
  endpoint: Webhook | null
  onSaved(made: NewWebhook | null): void
  onClose(): void
}) {
  const [url, setUrl] = useState(endpoint?.url ?? '')
  const [description, setDescription] = useState(endpoint?.description ?? '')
  const [events, setEvents] = useState<readonly Event[]>(
    endpoint?.events ?? ['product.indexed', 'product.updated', 'product.deleted'],
  )
  const { isBusy, error, run } = useSending()
  const title = endpoint ? t.editEndpoint : t.newEndpoint

  async function save() {
    const body = { url: url.trim(), events: [...events] }
    if (endpoint) {
      await call('PATCH /v1/search/webhooks/{id}', {
        path: { id: endpoint.id },
        body: { ...body, description: description.trim() || null },
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
    <Dialog class="asked" label={title} onClose={onClose}>
      <form
        onSubmit={(event) => {
          event.preventDefault()
          run(save)
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
        {error && <Refusal {...{ error, url }} />}
        <p class="actions">
          <button type="submit" class="primary" disabled={isBusy || url.trim() === '' || events.length === 0}>
            {endpoint ? t.save : t.create}
          </button>
          <button type="button" onClick={onClose}>
            {t.cancel}
          </button>
        </p>
      </form>
    </Dialog>
  )
}

/** An address that is not allowed has a cure that only the operator can take. */
const Refusal = ({ error, url }: { error: CallError; url: string }) => (
  <>
    <Failure error={error} />
    {error.code === 'url_not_allowed' && (
      <div class="note form">
        <p>{t.ownNetwork}</p>
        <Copied text={nameNetwork(url)} />
      </div>
    )}
  </>
)
