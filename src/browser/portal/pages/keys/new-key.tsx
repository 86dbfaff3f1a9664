import { useState } from 'preact/hooks'
import type { NewApiKey } from '#generated/api.ts'
import { call } from '../../api/client.ts'
import { Choice } from '../../parts/choice.tsx'
import { Dialog } from '../../parts/dialog.tsx'
import { Failure } from '../../parts/panel.tsx'
import { useSending } from '../../parts/use-sending.ts'
import { KeyFields, toScopes } from './key-fields.tsx'
import { t } from './texts/texts.ts'

/** Makes an API key: what it is called, what it may do, how long. Nobody can give more than they have. */
export function NewKeyDialog({
  can,
  onMade,
  onClose,
}: {
  can(right: string): boolean
  onMade(key: NewApiKey): void
  onClose(): void
}) {
  const [name, setName] = useState('')
  const [chosen, setChosen] = useState<readonly string[]>(['search:execute'].filter(can))
  const [days, setDays] = useState('90')
  const { isBusy, error, run } = useSending()

  const submit = (event: Event) => {
    event.preventDefault()
    run(async () =>
      onMade(
        await call('POST /v1/security/api-keys', {
          body: {
            name: name.trim(),
            scopes: toScopes(chosen),
            expires_in_days: days === '' ? null : Number(days),
          },
        }),
      ),
    )
  }

  return (
    <Dialog class="asked" label={t.newKey} onClose={onClose}>
      <form onSubmit={submit}>
        <h2>{t.newKey}</h2>
        <KeyFields {...{ name, chosen, can }} onName={setName} onChosen={setChosen} />
        <Choice label={t.lifetime} value={days} onValue={setDays} choices={t.lifetimes} />
        {error && <Failure error={error} />}
        <p class="actions">
          <button
            type="submit"
            class="primary"
            disabled={isBusy || name.trim() === '' || chosen.length === 0}
          >
            {t.makeKey}
          </button>
          <button type="button" onClick={onClose}>
            {t.cancel}
          </button>
        </p>
      </form>
    </Dialog>
  )
}
