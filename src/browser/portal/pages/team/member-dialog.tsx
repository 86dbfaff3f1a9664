import { useState } from 'preact/hooks'
import type { Member, UserGroup } from '#generated/api.ts'
import { call } from '../../api/client.ts'
import { Check } from '../../parts/check.tsx'
import { Dialog } from '../../parts/dialog.tsx'
import { Failure } from '../../parts/panel.tsx'
import { useSending } from '../../parts/use-sending.ts'
import { RoleChoice } from './role-choice.tsx'
import { t } from './texts/texts.ts'

/** Changes what a member may do: the role, and the groups that stand in its place. */
export function MemberDialog({
  member,
  groups,
  mayMakeOwner,
  isLastOwner,
  onSaved,
  onClose,
}: {
  member: Member
  groups: readonly UserGroup[]
  mayMakeOwner: boolean
  isLastOwner: boolean
  onSaved(): void
  onClose(): void
}) {
  const [role, setRole] = useState(member.role)
  const [chosen, setChosen] = useState<readonly string[]>(member.groups.map(({ id }) => id))
  const { isBusy, error, run } = useSending()
  const title = t.changeNamed(member.full_name)
  return (
    <Dialog class="asked" label={title} onClose={onClose}>
      <form
        onSubmit={(event) => {
          event.preventDefault()
          run(async () => {
            await call('PATCH /v1/team/members/{id}', {
              path: { id: member.id },
              body: { role, ...(groups.length > 0 && { group_ids: [...chosen] }) },
            })
            onSaved()
          })
        }}
      >
        <h2 dir="auto">{title}</h2>
        <RoleChoice {...{ role, mayMakeOwner }} onRole={setRole} />
        {isLastOwner && <p class="note">{t.transfer}</p>}
        {groups.length > 0 && (
          <fieldset class="ticks">
            <legend>{t.groups}</legend>
            {groups.map(({ id, name }) => (
              <Check
                key={id}
                checked={chosen.includes(id)}
                onChange={(isOn) => setChosen(isOn ? [...chosen, id] : chosen.filter((one) => one !== id))}
              >
                <span dir="auto">{name}</span>
              </Check>
            ))}
            <p class="hint">{t.groupsReplace}</p>
          </fieldset>
        )}
        {error && <Failure error={error} />}
        <p class="actions">
          <button type="submit" class="primary" disabled={isBusy}>
            {t.save}
          </button>
          <button type="button" onClick={onClose}>
            {t.cancel}
          </button>
        </p>
      </form>
    </Dialog>
  )
}
