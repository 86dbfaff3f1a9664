import { useState } from 'preact/hooks'
import { call } from '../../api/client.ts'
import { type CallError, toCallError } from '../../api/errors.ts'
import { readFaults } from '../../api/faults.ts'
import { Field } from '../../parts/field.tsx'
import { describeFault, NewPassword } from '../../parts/new-password.tsx'
import { Failure } from '../../parts/panel.tsx'
import { t } from './texts/texts.ts'

/** Another password, for a person who shows the present one. */
export function PasswordForm({ email }: { email: string }) {
  const [present, setPresent] = useState('')
  const [next, setNext] = useState('')
  const [state, setState] = useState<'idle' | 'busy' | 'changed' | CallError>('idle')
  const error = state instanceof Error ? state : null
  const faults = readFaults(error)

  async function save(event: Event) {
    event.preventDefault()
    if (state === 'busy') return
    setState('busy')
    try {
      await call('POST /v1/me/password', { body: { current_password: present, new_password: next } })
      setPresent('')
      setNext('')
      setState('changed')
    } catch (thrown) {
      setState(toCallError(thrown))
    }
  }

  return (
    <form onSubmit={save}>
      <h2>{t.password}</h2>
      {/* Password managers keep the new password under the address that they find in the form. */}
      <input
        class="unseen"
        type="email"
        autocomplete="username"
        value={email}
        readOnly
        tabIndex={-1}
        aria-hidden="true"
      />
      <Field
        {...{ label: t.passwordNow, value: present, onValue: setPresent, type: 'password' }}
        autocomplete="current-password"
        error={faults['/current_password'] && t.passwordWrong}
        required
      />
      <NewPassword
        {...{ label: t.passwordNew, value: next, onValue: setNext, email }}
        error={describeFault(faults['/new_password'])}
      />
      {error && Object.keys(faults).length === 0 && <Failure error={error} />}
      <p class="actions">
        <button type="submit" disabled={state === 'busy'}>
          {t.passwordSave}
        </button>
        <span role="status">{state === 'changed' && t.passwordChanged}</span>
      </p>
    </form>
  )
}
