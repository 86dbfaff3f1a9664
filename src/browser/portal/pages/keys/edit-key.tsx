import { useState } from 'preact/hooks'
import type { ApiKey } from '#generated/api.ts'
import { pickChanges } from '../../api/changes.ts'
import { call, type Versioned } from '../../api/client.ts'
import { NotSaved, type Shown } from '../../parts/conflict.tsx'
import { Dialog } from '../../parts/dialog.tsx'
import { Latest } from '../../parts/latest.tsx'
import { useSending } from '../../parts/use-sending.ts'
import { KeyFields, listScopes, toScopes } from './key-fields.tsx'
import { t } from './texts/texts.ts'

interface EditProps {
  can(right: string): boolean
  onSaved(): void
  onClose(): void
}

/** Changes the name of an API key, and what it may do. Its value stays. */
export const EditKeyDialog = ({ id, ...form }: EditProps & { id: string }) => (
  <Dialog class="asked" label={t.changeKey} onClose={form.onClose}>
    <Latest of="GET /v1/security/api-keys/{id}" id={id}>
      {(latest) => <EditForm {...{ latest, ...form }} />}
    </Latest>
  </Dialog>
)

/** What the form shows of a key, by its labels. */
const show = ({ name, scopes }: ApiKey): Shown => ({
  [t.name]: name,
  [t.mayDo]: listScopes(scopes)
    .map((permission) => t.scopes[permission] ?? permission)
    .join(', '),
})

/** Scopes in one order, so that a box that is ticked twice is no change. */
const inOrder = (permissions: readonly string[]) => toScopes([...permissions].sort())

function EditForm({ latest, can, onSaved, onClose }: EditProps & { latest: Versioned<ApiKey> }) {
  const { value: key, version } = latest
  const [name, setName] = useState(key.name)
  const [chosen, setChosen] = useState<readonly string[]>(() => listScopes(key.scopes))
  const { isBusy, error, run } = useSending()
  const path = { id: key.id }

  /** @param ifMatch the version that may be overwritten. */
  async function save(ifMatch: string | null) {
    const body = pickChanges(
      { name: key.name, scopes: inOrder(listScopes(key.scopes)) },
      { name: name.trim(), scopes: inOrder(chosen) },
    )
    await call('PATCH /v1/security/api-keys/{id}', { path, body, ifMatch })
    onSaved()
  }

  return (
    <form
      onSubmit={(event) => {
        event.preventDefault()
        run(() => save(version))
      }}
    >
      <h2>{t.changeKey}</h2>
      <KeyFields {...{ name, chosen, can }} onName={setName} onChosen={setChosen} />
      <NotSaved
        {...{ error, isBusy }}
        before={show(key)}
        load={async (signal) => show(await call('GET /v1/security/api-keys/{id}', { path, signal }))}
        onSave={(present) => run(() => save(present))}
      />
      <p class="actions">
        <button type="submit" class="primary" disabled={isBusy || name.trim() === '' || chosen.length === 0}>
          {t.save}
        </button>
        <button type="button" onClick={onClose}>
          {t.cancel}
        </button>
      </p>
    </form>
  )
}
