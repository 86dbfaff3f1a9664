import { useState } from 'preact/hooks'
import type { Member, NewInvitation } from '#generated/api.ts'
import { call } from '../../api/client.ts'
import { Copied } from '../../parts/copy.tsx'
import { Dialog } from '../../parts/dialog.tsx'
import { Field } from '../../parts/field.tsx'
import { Failure } from '../../parts/panel.tsx'
import { useSending } from '../../parts/use-sending.ts'
import { RoleChoice } from './role-choice.tsx'
import { t } from './texts/texts.ts'

/** Invites somebody. Where no mail leaves, the link is shown, for the inviter to hand over. */
export function InviteDialog({ onInvited, onClose }: { onInvited(): void; onClose(): void }) {
  const [email, setEmail] = useState('')
  const [role, setRole] = useState<Member['role']>('viewer')
  const [made, setMade] = useState<NewInvitation | null>(null)
  const { isBusy, error, run } = useSending()
  if (made) return <InvitedDialog made={made} onClose={onClose} />
  return (
    <Dialog class="asked" label={t.invite} onClose={onClose}>
      <form
        onSubmit={(event) => {
          event.preventDefault()
          run(async () => {
            setMade(await call('POST /v1/team/invite', { body: { email: email.trim(), role } }))
            onInvited()
          })
        }}
      >
        <h2>{t.invite}</h2>
        <Field
          {...{ label: t.email, value: email, onValue: setEmail, type: 'email' }}
          autocomplete="off"
          required
          takesFocus
        />
        <RoleChoice {...{ role }} mayMakeOwner onRole={setRole} />
        {error &&
          (error.code === 'invite_exists' ? (
            <p class="wrong">{t.invitedAlready}</p>
          ) : (
            <Failure error={error} />
          ))}
        <p class="actions">
          <button type="submit" class="primary" disabled={isBusy || email.trim() === ''}>
            {t.sendInvite}
          </button>
          <button type="button" onClick={onClose}>
            {t.cancel}
          </button>
        </p>
      </form>
    </Dialog>
  )
}

/** What became of an invitation: the link to hand over, or that it is on its way. */
export const InvitedDialog = ({ made, onClose }: { made: NewInvitation; onClose(): void }) => (
  <Dialog class="asked" label={t.invited(made.email)} {...(!made.accept_url && { onClose })}>
    <div class="form">
      <h2>{t.invited(made.email)}</h2>
      {made.accept_url ? (
        <>
          <p>{t.handOver}</p>
          <Copied text={made.accept_url} label={t.copyLink} />
        </>
      ) : (
        <p>{t.mailed}</p>
      )}
      <p>
        <button type="button" onClick={onClose}>
          {t.close}
        </button>
      </p>
    </div>
  </Dialog>
)
