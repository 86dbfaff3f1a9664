import { useState } from 'preact/hooks'
import type { UserToken } from '#generated/api.ts'
import { type CallError, toCallError } from '../api/errors.ts'
import { signIn } from '../api/session.ts'
import { Field } from '../parts/field.tsx'
import { t } from '../texts/texts.ts'

/** Which second proof the form asks for. */
type Proof = 'none' | 'code' | 'recovery'

function explain(error: CallError): string {
  if (error.status === 429) return t.wait(error.retryAfter ?? 60)
  switch (error.code) {
    case 'unauthorized':
      return t.wrongPassword
    case 'invalid_2fa':
      return t.wrongCode
    case 'account_not_verified':
      return t.unverified
    case 'offline':
      return t.offline
    default:
      return error.message
  }
}

/** Asks for e-mail and password, and for a code only when the account has a second factor. */
export function SignInForm({
  onDone,
  email: known = '',
}: {
  onDone(answer: UserToken): void
  email?: string
}) {
  const [email, setEmail] = useState(known)
  const [password, setPassword] = useState('')
  const [code, setCode] = useState('')
  const [proof, setProof] = useState<Proof>('none')
  const [error, setError] = useState<string | null>(null)
  const [isBusy, setBusy] = useState(false)

  async function submit(event: Event) {
    event.preventDefault()
    if (isBusy) return
    setBusy(true)
    setError(null)
    try {
      const shown =
        proof === 'code' ? { totp_code: code } : proof === 'recovery' ? { recovery_code: code } : {}
      onDone(await signIn({ email, password, ...shown }))
    } catch (thrown) {
      const failure = toCallError(thrown)
      if (failure.code === 'requires_2fa' && proof === 'none') setProof('code')
      else setError(explain(failure))
    } finally {
      setBusy(false)
    }
  }

  return (
    <form class="sign-in" onSubmit={submit}>
      <Field
        {...{ label: t.email, value: email, onValue: setEmail, type: 'email', name: 'email' }}
        autocomplete="username"
        required
        takesFocus={known === ''}
      />
      <Field
        {...{ label: t.password, value: password, onValue: setPassword, type: 'password', name: 'password' }}
        autocomplete="current-password"
        required
        takesFocus={known !== ''}
      />
      {proof !== 'none' && (
        <>
          <Field
            key={proof}
            label={proof === 'code' ? t.code : t.recoveryCode}
            hint={proof === 'code' ? t.codeHint : undefined}
            value={code}
            onValue={setCode}
            inputMode={proof === 'code' ? 'numeric' : 'text'}
            autocomplete="one-time-code"
            takesFocus
            required
          />
          <p>
            <button
              type="button"
              class="link"
              onClick={() => {
                setCode('')
                setProof(proof === 'code' ? 'recovery' : 'code')
              }}
            >
              {proof === 'code' ? t.useRecovery : t.useCode}
            </button>
          </p>
        </>
      )}
      {error && (
        <p class="wrong" role="alert">
          {error}
        </p>
      )}
      <p class="actions">
        <button type="submit" class="primary" disabled={isBusy}>
          {isBusy ? t.signingIn : t.signIn}
        </button>
        <a href="/forgot">{t.forgot}</a>
      </p>
    </form>
  )
}
