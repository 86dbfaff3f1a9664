import { useEffect, useState } from 'preact/hooks'
import { type CallError, toCallError } from '../../api/errors.ts'
import { readFaults } from '../../api/faults.ts'
import { send } from '../../api/transport.ts'
import { AccountFields, NO_ACCOUNT } from '../../parts/account-fields.tsx'
import { Field } from '../../parts/field.tsx'
import { Failure } from '../../parts/panel.tsx'
import { t } from './texts/texts.ts'

type State = 'asking' | 'sending' | 'sent' | 'waits'

/** Asks for an account with a store. The code of an invitation follows the # of the address, which no log has. */
export function Page() {
  const [account, setAccount] = useState(NO_ACCOUNT)
  const [invite, setInvite] = useState(() => location.hash.slice(1))
  const [state, setState] = useState<State>('asking')
  const [error, setError] = useState<CallError | null>(null)
  const mode = error?.details['registration']
  const faults = readFaults(error)
  useEffect(() => {
    document.title = `${t.registerHeading} · Lookalike`
  }, [])

  async function submit(event: Event) {
    event.preventDefault()
    if (state === 'sending') return
    setState('sending')
    setError(null)
    try {
      const code = invite.trim()
      const { store, ...person } = account
      const body = { client_name: store, ...person, ...(code !== '' && { invite: code }) }
      const { email_sent } = (await send('POST', '/register', { body })) as { email_sent: boolean }
      setState(email_sent ? 'sent' : 'waits')
    } catch (thrown) {
      setError(toCallError(thrown))
      setState('asking')
    }
  }

  if (mode === 'closed') return <Ended heading={t.closed} text={t.closedHint} />
  if (state === 'sent') return <Ended heading={t.sentHeading} text={t.registered} />
  if (state === 'waits') return <Ended heading={t.waitsHeading} text={t.waits} />
  return (
    <>
      <h1>{t.registerHeading}</h1>
      <form onSubmit={submit}>
        <AccountFields
          {...{ account, onAccount: setAccount, storeLabel: t.storeName }}
          errors={{
            email: faults['/email'] && t.badEmail,
            password: faults['/password'],
            store: faults['/client_name'] && t.badStore,
          }}
        />
        {(invite !== '' || mode === 'invite') && (
          <Field
            {...{ label: t.invite, value: invite, onValue: setInvite, hint: t.inviteHint }}
            autocomplete="off"
            error={mode === 'invite' ? t.inviteWrong : undefined}
          />
        )}
        {error && mode === undefined && Object.keys(faults).length === 0 && <Failure error={error} />}
        <p class="actions">
          <button type="submit" class="primary" disabled={state === 'sending'}>
            {state === 'sending' ? t.registering : t.register}
          </button>
          <a href="/login">{t.back}</a>
        </p>
      </form>
    </>
  )
}

const Ended = ({ heading, text }: { heading: string; text: string }) => (
  <>
    <h1>{heading}</h1>
    <p role="status">{text}</p>
    <p>
      <a href="/login">{t.back}</a>
    </p>
  </>
)
