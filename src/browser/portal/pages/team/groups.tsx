import { useState } from 'preact/hooks'
import type { UserGroup } from '#generated/api.ts'
import { call, readVersion } from '../../api/client.ts'
import { formatNumber } from '../../language.ts'
import { Confirm } from '../../parts/confirm.tsx'
import { Field } from '../../parts/field.tsx'
import { Failure } from '../../parts/panel.tsx'
import { type Column, Table } from '../../parts/table.tsx'
import { useSending } from '../../parts/use-sending.ts'
import { t } from './texts/texts.ts'

type Permission = UserGroup['permission_names'][number]
const PERMISSIONS = Object.keys(t.permissions) as Permission[]

/** Own groups: permissions across, groups down. A box works at once. */
export function Groups({
  list,
  can,
  onChanged,
}: {
  list: readonly UserGroup[]
  can(right: string): boolean
  onChanged(): void
}) {
  const [deleted, setDeleted] = useState<UserGroup | null>(null)
  const { isBusy, error, run } = useSending()

  /** Changes one box of a group as it is now: somebody else may have changed others since the list was read. */
  const set = (id: string, permission: Permission, isOn: boolean) =>
    run(async () => {
      const path = { id }
      const { value, version } = await readVersion('GET /v1/user-groups/{id}', { path })
      const others = value.permission_names.filter((one) => one !== permission)
      const permission_names = isOn ? [...others, permission] : others
      await call('PATCH /v1/user-groups/{id}', { path, body: { permission_names }, ifMatch: version })
      onChanged()
    })

  const columns: Column<UserGroup>[] = [
    {
      label: t.group,
      draw: ({ name, member_count }) => (
        <>
          <strong dir="auto">{name}</strong>
          <br />
          <span class="muted">{t.memberCount(formatNumber(member_count))}</span>
        </>
      ),
    },
    ...PERMISSIONS.map(
      (permission): Column<UserGroup> => ({
        label: t.permissions[permission],
        draw: (group) => (
          <input
            type="checkbox"
            aria-label={t.mayNamed(group.name, t.permissions[permission])}
            checked={group.permission_names.includes(permission)}
            disabled={isBusy || !can(permission)}
            onChange={({ currentTarget }) => set(group.id, permission, currentTarget.checked)}
          />
        ),
      }),
    ),
    {
      label: t.actions,
      isActions: true,
      draw: (group) => (
        <button
          type="button"
          class="link"
          aria-label={t.deleteNamed(group.name)}
          onClick={() => setDeleted(group)}
        >
          {t.delete}
        </button>
      ),
    },
  ]
  return (
    <>
      <p class="muted">{t.groupsHint}</p>
      {error && <Failure error={error} />}
      {list.length > 0 && <Table label={t.groups} columns={columns} rows={list} keyOf={({ id }) => id} />}
      <NewGroup onMade={onChanged} />
      {deleted && (
        <Confirm
          question={t.deleteNamed(deleted.name)}
          action={t.delete}
          onConfirm={async () => {
            await call('DELETE /v1/user-groups/{id}', { path: { id: deleted.id } })
            onChanged()
          }}
          onClose={() => setDeleted(null)}
        >
          <p>{t.deleteGroupHint(formatNumber(deleted.member_count))}</p>
        </Confirm>
      )}
    </>
  )
}

function NewGroup({ onMade }: { onMade(): void }) {
  const [name, setName] = useState('')
  const { isBusy, error, run } = useSending()
  return (
    <form
      class="form new-group"
      onSubmit={(event) => {
        event.preventDefault()
        run(async () => {
          await call('POST /v1/user-groups', {
            body: { name: name.trim(), permission_names: ['products:read'] },
          })
          setName('')
          onMade()
        })
      }}
    >
      <Field label={t.newGroup} value={name} onValue={setName} maxLength={100} required />
      {error && <Failure error={error} />}
      <p>
        <button type="submit" disabled={isBusy || name.trim() === ''}>
          {t.makeGroup}
        </button>
      </p>
    </form>
  )
}
