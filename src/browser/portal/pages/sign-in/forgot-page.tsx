import { useState } from 'preact/hooks'
import { type CallError, toCallError } from '../../api/errors.ts'
import { send } from '../../api/transport.ts'
import { Field } from '../../parts/field.tsx'
import { Failure } from '../../parts/panel.tsx'
import { t as shell } from '../../texts/texts.ts'
import { t } from './texts/texts.ts'

/** Asks for the address to send a link to. The answer never tells whether there is an account. */
export function Page() {
  const [email, setEmail] = useState('')
  const [state, setState] = useState<'asking' | 'sending' | 'sent'>('asking')
  const [error, setError] = useState<CallError | null>(null)

  async function submit(event: Event) {
    event.preventDefault()
    if (state === 'sending') return
    setState('sending')
    setError(null)
    try {
      await send('POST', '/oauth/password/forgot', { body: { email } })
      setState('sent')
    } catch (thrown) {
      setError(toCallError(thrown))
      setState('asking')
    }
  }

  return (
    <>
      <h1>{state === 'sent' ? t.sentHeading : t.forgotHeading}</h1>
      {state === 'sent' ? (
        <p role="status">{t.sent}</p>
      ) : (
        <form onSubmit={submit}>
          <p>{t.forgotHint}</p>
          <Field
            {...{ label: shell.email, value: email, onValue: setEmail, type: 'email', name: 'email' }}
            autocomplete="username"
            required
            takesFocus
          />
          {error && <Failure error={error} />}
          <p class="actions">
            <button type="submit" class="primary" disabled={state === 'sending'}>
              {state === 'sending' ? t.sending : t.send}
            </button>
          </p>
        </form>
      )}
      <p>
        <a href="/login">{t.back}</a>
      </p>
    </>
  )
}
