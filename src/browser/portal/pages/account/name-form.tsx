import { useState } from 'preact/hooks'
import { call } from '../../api/client.ts'
import { type CallError, toCallError } from '../../api/errors.ts'
import { readFaults } from '../../api/faults.ts'
import { Field } from '../../parts/field.tsx'
import { Failure } from '../../parts/panel.tsx'
import { me } from '../../shell/me.ts'
import { t } from './texts/texts.ts'

/** The name that other members see. */
export function NameForm({ name: known }: { name: string }) {
  const [name, setName] = useState(known)
  const [state, setState] = useState<'idle' | 'busy' | 'saved' | CallError>('idle')
  const error = state instanceof Error ? state : null
  const isRefused = '/full_name' in readFaults(error)

  async function save(event: Event) {
    event.preventDefault()
    if (state === 'busy') return
    setState('busy')
    try {
      me.set(await call('PATCH /v1/me', { body: { full_name: name } }))
      setState('saved')
    } catch (thrown) {
      setState(toCallError(thrown))
    }
  }

  return (
    <form onSubmit={save}>
      <Field
        {...{ label: t.name, value: name, onValue: setName, hint: t.nameHint, name: 'full_name' }}
        autocomplete="name"
        maxLength={100}
        error={isRefused ? t.nameWrong : undefined}
        required
      />
      {error && !isRefused && <Failure error={error} />}
      <p class="actions">
        <button type="submit" disabled={state === 'busy'}>
          {t.nameSave}
        </button>
        <span role="status">{state === 'saved' && t.saved}</span>
      </p>
    </form>
  )
}
