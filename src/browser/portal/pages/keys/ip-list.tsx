import { useState } from 'preact/hooks'
import type { IpEntry } from '#generated/api.ts'
import { call } from '../../api/client.ts'
import type { CallError } from '../../api/errors.ts'
import { Confirm } from '../../parts/confirm.tsx'
import { Field } from '../../parts/field.tsx'
import { Moment } from '../../parts/moment.tsx'
import { Failure } from '../../parts/panel.tsx'
import { Show } from '../../parts/show.tsx'
import { type Column, Table } from '../../parts/table.tsx'
import { useLoad } from '../../parts/use-load.ts'
import { useSending } from '../../parts/use-sending.ts'
import { t } from './texts/texts.ts'

async function loadList(signal: AbortSignal) {
  const [list, { sessions }] = await Promise.all([
    call('GET /v1/security/ip-whitelist', { signal }),
    call('GET /v1/me/sessions', { signal }),
  ])
  return { ...list, own: sessions.find(({ is_current }) => is_current)?.ip_address ?? null }
}

const isLockOut = (error: CallError | null) => error?.code === 'would_lock_out'

/** Addresses from which the store can be reached. Nobody locks themselves out by accident. */
export function IpList({ mayChange }: { mayChange: boolean }) {
  const loaded = useLoad(loadList, [])
  const [, reload] = loaded
  const [removing, setRemoving] = useState<IpEntry | null>(null)
  const columns: Column<IpEntry>[] = [
    { label: t.address, draw: ({ ip_address }) => <code>{ip_address}</code> },
    { label: t.description, draw: ({ description }) => <span dir="auto">{description || '–'}</span> },
    { label: t.since, draw: ({ created_at }) => <Moment at={created_at} /> },
  ]
  if (mayChange)
    columns.push({
      label: t.actions,
      isActions: true,
      draw: (entry) => (
        <button
          type="button"
          class="link"
          aria-label={t.removeNamed(entry.ip_address)}
          onClick={() => setRemoving(entry)}
        >
          {t.remove}
        </button>
      ),
    })
  return (
    <Show of={loaded}>
      {({ entries, enabled, own }) => (
        <>
          <p>{enabled ? t.listOn : t.listOff}</p>
          {own && (
            <p class="own-address">
              {t.yourAddress} <code>{own}</code>
            </p>
          )}
          {entries.length > 0 && (
            <Table label={t.ipList} {...{ columns }} rows={entries} keyOf={({ id }) => id} />
          )}
          {mayChange ? <NewEntry own={own} onAdded={reload} /> : <p class="muted">{t.mayNotList}</p>}
          {removing && (
            <Removal
              entry={removing}
              isLast={entries.length === 1}
              onDone={reload}
              onClose={() => setRemoving(null)}
            />
          )}
        </>
      )}
    </Show>
  )
}

function NewEntry({ own, onAdded }: { own: string | null; onAdded(): void }) {
  const [address, setAddress] = useState('')
  const [description, setDescription] = useState('')
  const { isBusy, error, run } = useSending()

  const add = (ip_address: string, force: boolean) =>
    run(async () => {
      await call('POST /v1/security/ip-whitelist', {
        body: { ip_address, description, ...(force && { force }) },
      })
      onAdded()
    })

  return (
    <form
      class="form ip-form"
      onSubmit={(event) => {
        event.preventDefault()
        add(address, false)
      }}
    >
      <Field
        label={t.addAddress}
        hint={t.addressHint}
        value={address}
        onValue={setAddress}
        required
        maxLength={64}
      />
      <Field label={t.description} value={description} onValue={setDescription} maxLength={200} />
      {error && !isLockOut(error) && <Failure error={error} />}
      {isLockOut(error) && (
        <div class="failure" role="alert">
          <p>
            <strong>{t.lockOut}</strong>
          </p>
          <p>{t.lockOutHint(own ?? String(error?.details['your_address'] ?? ''))}</p>
          <p class="actions">
            {own && (
              <button type="button" disabled={isBusy} onClick={() => add(own, false)}>
                {t.addOwn}
              </button>
            )}
            <button type="button" class="danger" disabled={isBusy} onClick={() => add(address, true)}>
              {t.addAnyway}
            </button>
          </p>
        </div>
      )}
      <p>
        <button type="submit" disabled={isBusy || address.trim() === ''}>
          {t.add}
        </button>
      </p>
    </form>
  )
}

function Removal({
  entry: { id, ip_address },
  isLast,
  onDone,
  onClose,
}: {
  entry: IpEntry
  isLast: boolean
  onDone(): void
  onClose(): void
}) {
  const [isLocking, setLocking] = useState(false)

  async function remove() {
    try {
      await call('DELETE /v1/security/ip-whitelist/{id}', {
        path: { id },
        query: isLocking ? { force: 'true' } : {},
      })
      onDone()
    } catch (thrown) {
      setLocking(isLockOut(thrown as CallError))
      throw thrown
    }
  }

  return (
    <Confirm
      question={t.removeSure(ip_address)}
      action={isLocking ? t.removeAnyway : t.remove}
      onConfirm={remove}
      {...{ onClose }}
    >
      <p>{isLast ? t.removeLast : t.removeHint}</p>
    </Confirm>
  )
}
