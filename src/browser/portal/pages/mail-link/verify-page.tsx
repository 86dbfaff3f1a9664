import { useState } from 'preact/hooks'
import type { Verified } from '#generated/api.ts'
import { send } from '../../api/transport.ts'
import { Field } from '../../parts/field.tsx'
import { useSending } from '../../parts/use-sending.ts'
import { forgetToken, hashOf, Incomplete, Said, useToken } from './link.tsx'
import { LinkForm } from './link-form.tsx'
import { t } from './texts/texts.ts'

/** Opens the account of a registration, by its link and the password that was chosen for it. */
export function Page() {
  const token = useToken()
  const sending = useSending()
  const [password, setPassword] = useState('')
  const [done, setDone] = useState<Verified['status'] | null>(null)
  const isRefused = sending.error?.status === 401

  async function confirm() {
    const { status } = (await send('POST', '/verify', { body: { token, password } })) as Verified
    forgetToken()
    setDone(status)
  }

  if (done === 'verified') return <Said heading={t.verified} text={t.verifiedHint} />
  if (done === 'already_verified') return <Said heading={t.alreadyVerified} text={t.alreadyVerifiedHint} />
  if (token === '') return <Incomplete />
  return (
    <>
      <LinkForm
        {...{ heading: t.verify, hint: t.verifyHint, button: t.openAccount, busy: t.opening, sending }}
        isExplained={({ status }) => status === 401}
        onSubmit={confirm}
      >
        <Field
          {...{ label: t.chosenPassword, value: password, onValue: setPassword, type: 'password' }}
          {...{ name: 'password', autocomplete: 'current-password' }}
          error={isRefused ? t.notVerified : undefined}
          required
          takesFocus
        />
      </LinkForm>
      {isRefused && (
        <p>
          <a href="/register">{t.registerAgain}</a> · <a href="/login">{t.tryToSignIn}</a>
        </p>
      )}
      <p class="muted">
        {t.notYou} <a href={`/verify/cancel${hashOf(token)}`}>{t.cancelRequests}</a>
      </p>
    </>
  )
}
