import { useState } from 'preact/hooks'
import type { Invitation, NewInvitation } from '#generated/api.ts'
import { call } from '../../api/client.ts'
import { Confirm } from '../../parts/confirm.tsx'
import { Moment } from '../../parts/moment.tsx'
import { Failure } from '../../parts/panel.tsx'
import { Show } from '../../parts/show.tsx'
import { type Column, Table } from '../../parts/table.tsx'
import { useLoad } from '../../parts/use-load.ts'
import { useSending } from '../../parts/use-sending.ts'
import { InvitedDialog } from './invite-dialog.tsx'
import { t } from './texts/texts.ts'

/** Whoever was invited, and what became of it. */
export function Invitations({ round }: { round: number }) {
  const loaded = useLoad((signal) => call('GET /v1/team/invites', { signal }), [round])
  const [, reload] = loaded
  const [cancelled, setCancelled] = useState<Invitation | null>(null)
  const [made, setMade] = useState<NewInvitation | null>(null)
  const { isBusy, error, run } = useSending()

  /** A link is shown once: another one takes the place of the invitation. */
  const inviteAgain = ({ invite_id, email, role, status }: Invitation) =>
    run(async () => {
      if (status === 'pending') await call('DELETE /v1/team/invites/{id}', { path: { id: invite_id } })
      // The old link has ended, also if a new one is refused.
      setMade(await call('POST /v1/team/invite', { body: { email, role } }).finally(reload))
    })

  const columns: Column<Invitation>[] = [
    { label: t.email, draw: ({ email }) => email },
    { label: t.role, draw: ({ role }) => t.roles[role] },
    { label: t.state, draw: ({ status }) => t.states[status] },
    {
      label: t.ends,
      draw: ({ status, expires_at }) => (status === 'pending' ? <Moment at={expires_at} /> : '–'),
    },
    {
      label: t.actions,
      isActions: true,
      draw: (invitation) => (
        <span class="actions">
          {invitation.status !== 'accepted' && (
            <button type="button" class="link" disabled={isBusy} onClick={() => inviteAgain(invitation)}>
              {t.inviteAgain}
            </button>
          )}
          {invitation.status === 'pending' && (
            <button type="button" class="link" onClick={() => setCancelled(invitation)}>
              {t.cancelInvite}
            </button>
          )}
        </span>
      ),
    },
  ]
  return (
    <>
      {error && <Failure error={error} />}
      <Show of={loaded}>
        {({ invites }) =>
          invites.length === 0 ? (
            <p class="muted">{t.noInvites}</p>
          ) : (
            <Table
              label={t.invitations}
              columns={columns}
              rows={invites}
              keyOf={({ invite_id }) => invite_id}
            />
          )
        }
      </Show>
      {made && <InvitedDialog made={made} onClose={() => setMade(null)} />}
      {cancelled && (
        <Confirm
          question={t.cancelSure(cancelled.email)}
          action={t.cancelInvite}
          onConfirm={async () => {
            await call('DELETE /v1/team/invites/{id}', { path: { id: cancelled.invite_id } })
            reload()
          }}
          onClose={() => setCancelled(null)}
        >
          <p>{t.cancelHint}</p>
        </Confirm>
      )}
    </>
  )
}
