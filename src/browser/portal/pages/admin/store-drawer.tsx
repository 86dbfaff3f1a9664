import { useState } from 'preact/hooks'
import type { AdminStore } from '#generated/api.ts'
import { call } from '../../api/client.ts'
import { formatAgo, formatMoment, formatNumber } from '../../language.ts'
import { Choice } from '../../parts/choice.tsx'
import { Confirm } from '../../parts/confirm.tsx'
import { Dialog } from '../../parts/dialog.tsx'
import { Field } from '../../parts/field.tsx'
import { Failure } from '../../parts/panel.tsx'
import { Picture } from '../../parts/picture.tsx'
import { useLoad } from '../../parts/use-load.ts'
import { addressOf } from '../../shell/routes.ts'
import { t as shell } from '../../texts/texts.ts'
import { Act, Command } from './act.tsx'
import { formatBytes } from './amounts.ts'
import { commandOf } from './command.ts'
import { OpenAs } from './open-as.tsx'
import { PLANS, type Plan } from './plans.ts'
import { describeProducts, LastFeed } from './store-facts.tsx'
import { t } from './texts/texts.ts'

interface DrawerProps {
  id: string
  onClose(): void
  /** Called when the store is not what the list shows any more. */
  onChange(): void
}

/** One store over the list: what it is, and what the operator may do to it. */
export function StoreDrawer({ id, onClose, onChange }: DrawerProps) {
  const [loaded, retry] = useLoad(
    (signal) => call('GET /v1/admin/stores/{id}', { path: { id }, signal }),
    [id],
  )
  const [changed, setChanged] = useState<AdminStore | null>(null)
  const store = changed ?? (loaded.state === 'there' ? loaded.value : null)
  return (
    <Dialog class="drawer" label={store?.name ?? t.store} onClose={onClose}>
      <button type="button" class="close" onClick={onClose} aria-label={t.close}>
        ×
      </button>
      {loaded.state === 'loading' && <p class="waiting">{shell.loading}</p>}
      {loaded.state === 'failed' &&
        (loaded.error.status === 404 ? (
          <p>{t.storeGone}</p>
        ) : (
          <Failure error={loaded.error} onRetry={retry} />
        ))}
      {store && (
        <Details
          store={store}
          onChange={(next) => {
            setChanged(next)
            onChange()
          }}
        />
      )}
    </Dialog>
  )
}

interface DetailsProps {
  store: AdminStore
  onChange(store: AdminStore): void
}

function Details({ store, onChange }: DetailsProps) {
  const { id, slug, name, plan, status, owners, members, created_at } = store
  return (
    <>
      <div class="product-head store-head">
        <Picture src={null} name={name} kind={slug} />
        <div>
          <h2 dir="auto">{name}</h2>
          <p class="muted">{slug}</p>
          {status !== 'active' && <p class="state problem">{t.statuses[status]}</p>}
          <OpenAs id={id} name={name} address={addressOf(slug, 'overview')} class="primary" />
          <p class="hint">{t.openAsHasNoCommand}</p>
        </div>
      </div>
      {store.suspended_reason && (
        <p>
          {t.reasonGiven} <q dir="auto">{store.suspended_reason}</q>
        </p>
      )}
      {store.delete_at && <p class="wrong">{t.deletedAt(formatMoment(store.delete_at))}</p>}
      <dl class="facts">
        <dt>{t.plan}</dt>
        <dd>{plan}</dd>
        <dt>{t.products}</dt>
        <dd>{describeProducts(store)}</dd>
        <dt>{t.searches30}</dt>
        <dd>{formatNumber(store.searches)}</dd>
        <dt>{t.storage}</dt>
        <dd>{formatBytes(store.storage_bytes)}</dd>
        <dt>{t.lastFeed}</dt>
        <dd>
          <LastFeed {...store} />
        </dd>
        <dt>{t.members}</dt>
        <dd>{formatNumber(members)}</dd>
        <dt>{t.owners}</dt>
        <dd>
          {owners.length === 0
            ? t.noOwner
            : owners.map((address) => (
                <a key={address} class="name" href={`mailto:${encodeURIComponent(address)}`}>
                  {address}
                </a>
              ))}
        </dd>
        <dt>{t.made}</dt>
        <dd title={formatMoment(created_at)}>{formatAgo(created_at)}</dd>
        <dt>{t.id}</dt>
        <dd>
          <code>{id}</code>
        </dd>
      </dl>
      <Acts store={store} onChange={onChange} />
    </>
  )
}

function Acts({ store, onChange }: DetailsProps) {
  const { id, slug, status } = store
  const path = { id }
  const [name, setName] = useState(store.name)
  const [plan, setPlan] = useState<Plan>(store.plan)
  const [reason, setReason] = useState('')

  /** Shows what a deed made of the store. */
  const show = async (answer: Promise<AdminStore>, told: string) => {
    onChange(await answer)
    return told
  }

  return (
    <div class="acts">
      <Act
        label={t.changePlan}
        command={commandOf('store set-plan', [slug, plan])}
        isBlocked={plan === store.plan}
        run={() => show(call('PATCH /v1/admin/stores/{id}', { path, body: { plan } }), t.planChanged)}
      >
        <Choice
          label={t.plan}
          value={plan}
          onValue={(value) => setPlan(value as Plan)}
          choices={PLANS.map((one) => [one, one])}
        />
      </Act>
      <Act
        label={t.rename}
        command={commandOf('store rename', [slug, name])}
        isBlocked={name.trim() === '' || name === store.name}
        run={() => show(call('PATCH /v1/admin/stores/{id}', { path, body: { name } }), t.renamed)}
      >
        <Field
          label={t.name}
          hint={t.slugStays(slug)}
          value={name}
          onValue={setName}
          maxLength={100}
          required
        />
      </Act>
      {status === 'active' ? (
        <Act
          label={t.suspend}
          hint={t.suspendHint}
          kind="danger"
          command={commandOf('store suspend', [slug], { reason })}
          isBlocked={reason.trim() === ''}
          run={() =>
            show(call('POST /v1/admin/stores/{id}/suspend', { path, body: { reason } }), t.suspended)
          }
        >
          <Field label={t.reason} value={reason} onValue={setReason} maxLength={500} required />
        </Act>
      ) : (
        <Act
          label={t.resume}
          hint={status === 'deletion_planned' ? t.resumeDeletionHint : t.resumeHint}
          command={commandOf('store resume', [slug])}
          run={() => show(call('POST /v1/admin/stores/{id}/resume', { path }), t.resumed)}
        />
      )}
      {status !== 'deletion_planned' && <Deletion store={store} onChange={onChange} />}
    </div>
  )
}

function Deletion({ store: { id, slug, name, products, members }, onChange }: DetailsProps) {
  const [isAsking, setAsking] = useState(false)
  return (
    <div class="act">
      <p class="muted">{t.deleteStoreHint}</p>
      <p class="actions">
        <button type="button" class="danger" onClick={() => setAsking(true)}>
          {t.deleteStore}
        </button>
      </p>
      <Command line={commandOf('store delete', [slug], { confirm: slug })} />
      {isAsking && (
        <Confirm
          question={t.deleteStoreSure(name)}
          action={t.deleteStore}
          typed={slug}
          onConfirm={async () =>
            onChange(await call('DELETE /v1/admin/stores/{id}', { path: { id }, body: { confirm: slug } }))
          }
          onClose={() => setAsking(false)}
        >
          <p>{t.deleteStoreGone(formatNumber(products), formatNumber(members))}</p>
        </Confirm>
      )}
    </div>
  )
}
