import { useState } from 'preact/hooks'
import type { StoreWithInvitation } from '#generated/api.ts'
import { call } from '../../api/client.ts'
import { type CallError, toCallError } from '../../api/errors.ts'
import { Choice } from '../../parts/choice.tsx'
import { Copied } from '../../parts/copy.tsx'
import { Dialog } from '../../parts/dialog.tsx'
import { Field } from '../../parts/field.tsx'
import { Failure } from '../../parts/panel.tsx'
import { addressOf } from '../../shell/routes.ts'
import { t as shell } from '../../texts/texts.ts'
import { Command } from './act.tsx'
import { commandOf } from './command.ts'
import { OpenAs } from './open-as.tsx'
import { PLANS, type Plan } from './plans.ts'
import { t } from './texts/texts.ts'

/** Makes a store and invites its owner, in one form. */
export function NewStore({ onClose }: { onClose(): void }) {
  const [made, setMade] = useState<StoreWithInvitation | null>(null)
  return (
    <Dialog class="asked" label={t.newStore} onClose={onClose}>
      {made ? <Made store={made} onClose={onClose} /> : <Form onMade={setMade} onClose={onClose} />}
    </Dialog>
  )
}

function Form({ onMade, onClose }: { onMade(store: StoreWithInvitation): void; onClose(): void }) {
  const [name, setName] = useState('')
  const [slug, setSlug] = useState('')
  const [email, setEmail] = useState('')
  const [plan, setPlan] = useState('')
  const [state, setState] = useState<'idle' | 'busy' | CallError>('idle')
  const isTaken = state instanceof Error && state.code === 'conflict' && 'slug' in state.details

  async function submit(event: Event) {
    event.preventDefault()
    if (state === 'busy') return
    setState('busy')
    try {
      const body = {
        ...{ name, owner_email: email },
        ...(slug !== '' && { slug }),
        ...(plan !== '' && { plan: plan as Plan }),
      }
      onMade(await call('POST /v1/admin/stores', { body }))
    } catch (thrown) {
      setState(toCallError(thrown))
    }
  }

  return (
    <form onSubmit={submit}>
      <h2>{t.newStore}</h2>
      <Field label={t.name} value={name} onValue={setName} maxLength={100} required takesFocus />
      <Field
        label={t.ownerEmail}
        hint={t.ownerEmailHint}
        {...{ value: email, onValue: setEmail, type: 'email', required: true }}
        autocomplete="off"
      />
      <Field
        label={t.slug}
        hint={t.slugHint}
        error={isTaken ? t.slugTaken : undefined}
        value={slug}
        onValue={setSlug}
        maxLength={40}
        autocomplete="off"
      />
      <Choice
        label={t.plan}
        value={plan}
        onValue={setPlan}
        choices={[['', t.defaultPlan], ...PLANS.map((one) => [one, one] as const)]}
      />
      {state instanceof Error && !isTaken && <Failure error={state} />}
      <p class="actions">
        <button type="submit" class="primary" disabled={state === 'busy'}>
          {t.makeStore}
        </button>
        <button type="button" onClick={onClose}>
          {shell.cancel}
        </button>
      </p>
      <Command
        line={commandOf('setup', [], { email, store: name, ...(slug && { slug }), ...(plan && { plan }) })}
      />
    </form>
  )
}

/** The store is there; its owner needs the link, unless it was mailed. */
function Made({
  store: { id, slug, name, invite },
  onClose,
}: {
  store: StoreWithInvitation
  onClose(): void
}) {
  const { email, accept_url } = invite
  return (
    <div class="acts">
      <h2 dir="auto">{t.storeMade(name)}</h2>
      {accept_url ? (
        <>
          <p>{t.handOver(email)}</p>
          <Copied text={accept_url} label={t.copyLink} />
        </>
      ) : (
        <p>{t.inviteMailed(email)}</p>
      )}
      <p class="actions">
        <OpenAs id={id} name={name} address={addressOf(slug, 'overview')} />
        <button type="button" class="primary" onClick={onClose}>
          {t.close}
        </button>
      </p>
    </div>
  )
}
