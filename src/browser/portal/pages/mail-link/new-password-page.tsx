import { useState } from 'preact/hooks'
import { readFaults } from '../../api/faults.ts'
import { send } from '../../api/transport.ts'
import { describeFault, NewPassword } from '../../parts/new-password.tsx'
import { useSending } from '../../parts/use-sending.ts'
import { forgetToken, Incomplete, Said, useToken } from './link.tsx'
import { LinkForm } from './link-form.tsx'
import { t } from './texts/texts.ts'

/** Sets a new password by a link. */
export function Page() {
  const token = useToken()
  const sending = useSending()
  const [password, setPassword] = useState('')
  const [isDone, setDone] = useState(false)
  const fault = readFaults(sending.error)['/password']

  async function reset() {
    await send('POST', '/oauth/password/reset', { body: { token, password } })
    forgetToken()
    setDone(true)
  }

  if (isDone) return <Said heading={t.passwordSet} text={t.passwordSetHint} />
  if (token === '') return <Incomplete />
  if (sending.error?.status === 401)
    return (
      <Said heading={t.dead} text={t.deadHint}>
        <a class="primary" href="/forgot">
          {t.askAgain}
        </a>
        <a href="/login">{t.tryToSignIn}</a>
      </Said>
    )
  return (
    <LinkForm
      {...{
        heading: t.newPassword,
        hint: t.newPasswordHint,
        button: t.setPassword,
        busy: t.setting,
        sending,
      }}
      isExplained={() => fault !== undefined}
      onSubmit={reset}
    >
      <NewPassword
        {...{ label: t.newPasswordLabel, value: password, onValue: setPassword, email: '' }}
        error={describeFault(fault)}
        takesFocus
      />
    </LinkForm>
  )
}
