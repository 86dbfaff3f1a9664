import { useState } from 'preact/hooks'
import type { Member, UserGroup } from '#generated/api.ts'
import { call } from '../../api/client.ts'
import { Confirm } from '../../parts/confirm.tsx'
import { Moment } from '../../parts/moment.tsx'
import { type Column, Table } from '../../parts/table.tsx'
import { me } from '../../shell/me.ts'
import { MemberDialog } from './member-dialog.tsx'
import { t } from './texts/texts.ts'

interface MembersProps {
  members: readonly Member[]
  groups: readonly UserGroup[]
  mayManage: boolean
  /** Only owners may; they alone change other owners. */
  mayInvite: boolean
  onChanged(): void
}

/** Everybody who belongs to the store. */
export function Members({ members, groups, mayManage, mayInvite, onChanged }: MembersProps) {
  const [edited, setEdited] = useState<Member | null>(null)
  const [removed, setRemoved] = useState<Member | null>(null)
  const own = me.get()?.user?.id
  const mayChange = ({ role }: Member) => mayManage && (mayInvite || role !== 'owner')
  const columns: Column<Member>[] = [
    {
      label: t.person,
      draw: ({ id, full_name, email }) => (
        <>
          <strong dir="auto">{full_name}</strong>
          {id === own && <span class="muted"> {t.you}</span>}
          <br />
          <span class="muted">{email}</span>
        </>
      ),
    },
    {
      label: t.role,
      draw: ({ role, groups }) => (
        <>
          {t.roles[role]}
          {groups.length > 0 && (
            <span class="muted" dir="auto">
              {' '}
              · {groups.map(({ name }) => name).join(', ')}
            </span>
          )}
        </>
      ),
    },
    { label: t.factor, draw: ({ two_factor_enabled }) => (two_factor_enabled ? t.on : t.off) },
    {
      label: t.lastSignIn,
      draw: ({ last_login_at }) => (last_login_at ? <Moment at={last_login_at} /> : t.never),
    },
  ]
  if (mayManage)
    columns.push({
      label: t.actions,
      isActions: true,
      draw: (member) =>
        mayChange(member) ? (
          <span class="actions">
            <button
              type="button"
              class="link"
              aria-label={t.changeNamed(member.full_name)}
              onClick={() => setEdited(member)}
            >
              {t.change}
            </button>
            {member.id !== own && (
              <button
                type="button"
                class="link"
                aria-label={t.removeNamed(member.full_name)}
                onClick={() => setRemoved(member)}
              >
                {t.remove}
              </button>
            )}
          </span>
        ) : (
          <span class="muted">{t.ownersOnly}</span>
        ),
    })
  return (
    <>
      {members.length === 1 && <p class="muted">{mayInvite ? t.alone : t.aloneHere}</p>}
      <Table label={t.members} columns={columns} rows={members} keyOf={({ id }) => id} />
      {edited && (
        <MemberDialog
          member={edited}
          {...{ groups }}
          mayMakeOwner={mayInvite}
          isLastOwner={edited.role === 'owner' && members.filter(({ role }) => role === 'owner').length === 1}
          onSaved={() => {
            setEdited(null)
            onChanged()
          }}
          onClose={() => setEdited(null)}
        />
      )}
      {removed && (
        <Confirm
          question={t.removeSure(removed.full_name)}
          action={t.removePerson}
          onConfirm={async () => {
            await call('DELETE /v1/team/members/{id}', { path: { id: removed.id } })
            onChanged()
          }}
          onClose={() => setRemoved(null)}
        >
          <p>{t.removeHint}</p>
        </Confirm>
      )}
    </>
  )
}
