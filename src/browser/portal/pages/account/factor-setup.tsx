import { useState } from 'preact/hooks'
import type { TwoFactorSetup } from '#generated/api.ts'
import { call } from '../../api/client.ts'
import { type CallError, toCallError } from '../../api/errors.ts'
import { Copied } from '../../parts/copy.tsx'
import { Field } from '../../parts/field.tsx'
import { Failure } from '../../parts/panel.tsx'
import { t as shell } from '../../texts/texts.ts'
import { t } from './texts/texts.ts'

/** Shows the secret to an authenticator, and asks for its first code. */
export function FactorSetup({
  setup,
  onDone,
  onCancel,
}: {
  setup: TwoFactorSetup
  onDone(codes: string[]): void
  onCancel(): void
}) {
  const [code, setCode] = useState('')
  const [error, setError] = useState<CallError | null>(null)
  const [isBusy, setBusy] = useState(false)
  // An empty pattern or a wrong code: the person can mend both in the field.
  const isWrong = error?.code === 'invalid_2fa' || error?.status === 422

  async function enable(event: Event) {
    event.preventDefault()
    if (isBusy) return
    setBusy(true)
    setError(null)
    try {
      const { recovery_codes } = await call('POST /v1/security/2fa/enable', { body: { totp_code: code } })
      onDone(recovery_codes)
    } catch (thrown) {
      setError(toCallError(thrown))
      setBusy(false)
    }
  }

  return (
    <form onSubmit={enable}>
      <p>{t.scan}</p>
      <img class="qr" src={setup.qr_code_url} alt={t.qr} width="200" height="200" />
      <p>{t.orType}</p>
      <Copied text={setup.secret.replace(/.{4}(?=.)/g, '$& ')} />
      <Field
        {...{ label: shell.code, hint: shell.codeHint, value: code, onValue: setCode }}
        inputMode="numeric"
        autocomplete="one-time-code"
        error={isWrong ? shell.wrongCode : undefined}
        takesFocus
        required
      />
      {error && !isWrong && <Failure error={error} />}
      <p class="actions">
        <button type="submit" class="primary" disabled={isBusy}>
          {t.factorEnable}
        </button>
        <button type="button" class="link" onClick={onCancel}>
          {shell.cancel}
        </button>
      </p>
    </form>
  )
}
