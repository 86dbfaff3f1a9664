import { useState } from 'preact/hooks'
import type { SigningSecret, Webhook } from '#generated/api.ts'
import { call } from '../../api/client.ts'
import { formatNumber } from '../../language.ts'
import { Confirm } from '../../parts/confirm.tsx'
import { Moment } from '../../parts/moment.tsx'
import { Failure } from '../../parts/panel.tsx'
import { type Column, Table } from '../../parts/table.tsx'
import { useSending } from '../../parts/use-sending.ts'
import { DeliveriesDialog } from './deliveries.tsx'
import { Rotation } from './rotation.tsx'
import { t } from './texts/texts.ts'

interface EndpointsProps {
  list: readonly Webhook[]
  mayChange: boolean
  reload(): void
  onEdit(endpoint: Webhook): void
  onSecret(secret: SigningSecret): void
}

/** How an endpoint is, in words. */
function describeState({ enabled, disabled_reason, consecutive_failures, last_status }: Webhook): string {
  if (!enabled) return t.off[disabled_reason ?? 'requested']
  if (consecutive_failures > 0) return t.failing(formatNumber(consecutive_failures))
  return last_status === null ? t.waiting : t.works
}

const hasProblem = ({ enabled, disabled_reason, consecutive_failures }: Webhook): boolean =>
  consecutive_failures > 0 || (!enabled && disabled_reason !== 'requested')

/** The receivers of the store's messages. */
export function Endpoints({ list, mayChange, reload, onEdit, onSecret }: EndpointsProps) {
  const [asked, setAsked] = useState<{ what: 'deliveries' | 'rotate' | 'delete'; endpoint: Webhook } | null>(
    null,
  )
  const { isBusy, error, run } = useSending()
  if (list.length === 0) return <p class="muted">{t.noEndpoints}</p>

  const pause = ({ id, enabled }: Webhook) =>
    run(async () => {
      await call('PATCH /v1/search/webhooks/{id}', { path: { id }, body: { enabled: !enabled } })
      reload()
    })

  const columns: Column<Webhook>[] = [
    {
      label: t.url,
      draw: ({ url, description }) => (
        <>
          <code>{url}</code>
          {description && (
            <>
              <br />
              <span class="muted" dir="auto">
                {description}
              </span>
            </>
          )}
        </>
      ),
    },
    { label: t.eventsOf, draw: ({ events }) => <code>{events.join(', ')}</code> },
    {
      label: t.state,
      draw: (endpoint) => (
        <span class={hasProblem(endpoint) ? 'state problem' : undefined}>{describeState(endpoint)}</span>
      ),
    },
    {
      label: t.lastDelivery,
      draw: ({ last_delivery_at, last_status }) =>
        last_delivery_at ? (
          <>
            <Moment at={last_delivery_at} />
            {last_status !== null && <span class="muted"> · {last_status}</span>}
          </>
        ) : (
          '–'
        ),
    },
    {
      label: t.actions,
      isActions: true,
      draw: (endpoint) => {
        const ask = (what: 'deliveries' | 'rotate' | 'delete') => () => setAsked({ what, endpoint })
        return (
          <span class="actions">
            <button type="button" class="link" onClick={ask('deliveries')}>
              {t.deliveries}
            </button>
            {mayChange && (
              <>
                <button type="button" class="link" onClick={() => onEdit(endpoint)}>
                  {t.edit}
                </button>
                <button type="button" class="link" disabled={isBusy} onClick={() => pause(endpoint)}>
                  {endpoint.enabled ? t.pause : t.resume}
                </button>
                <button type="button" class="link" onClick={ask('rotate')}>
                  {t.rotate}
                </button>
                <button type="button" class="link" onClick={ask('delete')}>
                  {t.delete}
                </button>
              </>
            )}
          </span>
        )
      },
    },
  ]
  const close = () => setAsked(null)
  return (
    <>
      {error && <Failure error={error} />}
      <Table label={t.endpoints} columns={columns} rows={list} keyOf={({ id }) => id} />
      {asked?.what === 'deliveries' && (
        <DeliveriesDialog endpoint={asked.endpoint} {...{ mayChange }} onClose={close} />
      )}
      {asked?.what === 'rotate' && (
        <Rotation
          question={t.rotateSure(asked.endpoint.url)}
          rotate={(grace_seconds) =>
            call('POST /v1/search/webhooks/{id}/rotate-secret', {
              path: { id: asked.endpoint.id },
              body: { grace_seconds },
            })
          }
          {...{ onSecret }}
          onClose={close}
        />
      )}
      {asked?.what === 'delete' && (
        <Confirm
          question={t.deleteSure(asked.endpoint.url)}
          action={t.delete}
          onConfirm={async () => {
            await call('DELETE /v1/search/webhooks/{id}', { path: { id: asked.endpoint.id } })
            reload()
          }}
          onClose={close}
        >
          <p>{t.deleteHint}</p>
        </Confirm>
      )}
    </>
  )
}
