import { useEffect, useState } from 'preact/hooks'
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

/** Leaves out what the list says by now. */
function dropKnown(
  ticked: Readonly<Record<string, readonly Permission[]>>,
  list: readonly UserGroup[],
): Readonly<Record<string, readonly Permission[]>> {
  const names = (permissions: readonly Permission[]) => permissions.toSorted().join()
  const known = new Map(list.map(({ id, permission_names }) => [id, names(permission_names)]))
  return Object.fromEntries(
    Object.entries(ticked).filter(([id, permissions]) => known.get(id) !== names(permissions)),
  )
}

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
  /** What was ticked here, by group, until the list says so: the next box is added to it, and no box jumps back meanwhile. */
  const [ticked, setTicked] = useState<Readonly<Record<string, readonly Permission[]>>>({})
  useEffect(() => setTicked((before) => dropKnown(before, list)), [list])
  const permissionsOf = ({ id, permission_names }: UserGroup) => ticked[id] ?? permission_names

  /** Changes one box of a group as it is now: somebody else may have changed others since the list was read. */
  const set = (group: UserGroup, permission: Permission, isOn: boolean) =>
    run(async () => {
      const path = { id: group.id }
      const change = (names: readonly Permission[]) => {
        const others = names.filter((one) => one !== permission)
        return isOn ? [...others, permission] : others
      }
      setTicked({ ...ticked, [group.id]: change(permissionsOf(group)) })
      try {
        const { value, version } = await readVersion('GET /v1/user-groups/{id}', { path })
        const permission_names = change(value.permission_names)
        await call('PATCH /v1/user-groups/{id}', { path, body: { permission_names }, ifMatch: version })
      } catch (thrown) {
        setTicked(ticked)
        throw thrown
      }
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
            checked={permissionsOf(group).includes(permission)}
            disabled={isBusy || !can(permission)}
            onChange={({ currentTarget }) => set(group, permission, currentTarget.checked)}
          />
        ),
      }),
    ),
    {
      label: t.actions,
      isActions: true,
      // A group with members is not deleted: they would have the rights of their roles at once.
      draw: (group) =>
        group.member_count > 0 ? (
          <span class="muted">{t.groupHasMembers}</span>
        ) : (
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
          <p>{t.deleteGroupHint}</p>
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
