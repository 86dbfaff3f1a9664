import { useState } from 'preact/hooks'
import type { Member, UserGroup } from '#generated/api.ts'
import { pickChanges } from '../../api/changes.ts'
import { call, type Versioned } from '../../api/client.ts'
import { Check } from '../../parts/check.tsx'
import { NotSaved, type Shown } from '../../parts/conflict.tsx'
import { Dialog } from '../../parts/dialog.tsx'
import { Latest } from '../../parts/latest.tsx'
import { useSending } from '../../parts/use-sending.ts'
import { RoleChoice } from './role-choice.tsx'
import { t } from './texts/texts.ts'

interface FormProps {
  groups: readonly UserGroup[]
  mayMakeOwner: boolean
  isLastOwner: boolean
  onSaved(): void
  onClose(): void
}

/** Changes what a member may do: the role, and the groups that stand in its place. */
export function MemberDialog({ member, ...form }: FormProps & { member: Member }) {
  return (
    <Dialog class="asked" label={t.changeNamed(member.full_name)} onClose={form.onClose}>
      <Latest of="GET /v1/team/members/{id}" id={member.id}>
        {(latest) => <MemberForm {...{ latest, ...form }} />}
      </Latest>
    </Dialog>
  )
}

/** What the form shows of a member, by its labels. */
const show = ({ role, groups }: Member): Shown => ({
  [t.role]: t.roles[role],
  [t.groups]: groups.map(({ name }) => name).join(', '),
})

function MemberForm({ latest, groups, ...form }: FormProps & { latest: Versioned<Member> }) {
  const { value: member, version } = latest
  const { mayMakeOwner, isLastOwner, onSaved, onClose } = form
  const [role, setRole] = useState(member.role)
  const [chosen, setChosen] = useState<readonly string[]>(member.groups.map(({ id }) => id))
  const { isBusy, error, run } = useSending()
  const path = { id: member.id }

  /** @param ifMatch the version that may be overwritten. */
  async function save(ifMatch: string | null) {
    const before = { role: member.role, group_ids: member.groups.map(({ id }) => id) }
    await call('PATCH /v1/team/members/{id}', {
      ...{ path, ifMatch },
      body: pickChanges(before, { role, group_ids: [...chosen] }),
    })
    onSaved()
  }

  return (
    <form
      onSubmit={(event) => {
        event.preventDefault()
        run(() => save(version))
      }}
    >
      <h2 dir="auto">{t.changeNamed(member.full_name)}</h2>
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
      <NotSaved
        {...{ error, isBusy }}
        before={show(member)}
        load={async (signal) => show(await call('GET /v1/team/members/{id}', { path, signal }))}
        onSave={(present) => run(() => save(present))}
      />
      <p class="actions">
        <button type="submit" class="primary" disabled={isBusy}>
          {t.save}
        </button>
        <button type="button" onClick={onClose}>
          {t.cancel}
        </button>
      </p>
    </form>
  )
}
