import { useState } from 'preact/hooks'
import type { TwoFactorSetup, TwoFactorStatus } from '#generated/api.ts'
import { call } from '../../api/client.ts'
import { CallError, toCallError } from '../../api/errors.ts'
import { formatMoment } from '../../language.ts'
import { Confirm } from '../../parts/confirm.tsx'
import { Failure } from '../../parts/panel.tsx'
import { useLoad } from '../../parts/use-load.ts'
import { me } from '../../shell/me.ts'
import { FactorSetup } from './factor-setup.tsx'
import { RecoveryCodes } from './recovery-codes.tsx'
import { t } from './texts/texts.ts'

/** What the section shows: the state, a set-up that has begun, or new codes, which no answer gives again. */
type Shown = { kind: 'state' } | { kind: 'setup'; setup: TwoFactorSetup } | { kind: 'codes'; codes: string[] }

/** Some changes ask for a sign-in that has shown a code; the API's sentence speaks of permissions. */
const explain = (thrown: unknown): CallError => {
  const error = toCallError(thrown)
  return error.details['required'] === 'two_factor'
    ? new CallError({ ...error, message: t.signInWithCode, requestId: error.requestId })
    : error
}

/** The person's second factor. */
export function TwoFactor({ email }: { email: string }) {
  const [status, retry] = useLoad((signal) => call('GET /v1/security/2fa/status', { signal }), [])
  const [shown, setShown] = useState<Shown>({ kind: 'state' })
  const [error, setError] = useState<CallError | null>(null)
  const [isBusy, setBusy] = useState(false)

  async function run(work: () => Promise<Shown>) {
    if (isBusy) return
    setBusy(true)
    setError(null)
    try {
      setShown(await work())
    } catch (thrown) {
      setError(explain(thrown))
    } finally {
      setBusy(false)
    }
  }
  const begin = () => run(async () => ({ kind: 'setup', setup: await call('POST /v1/security/2fa/setup') }))
  const renew = () =>
    run(async () => ({
      kind: 'codes',
      codes: (await call('POST /v1/security/2fa/recovery-codes')).recovery_codes,
    }))

  /** Back to the state, which has changed. */
  function settle() {
    setShown({ kind: 'state' })
    retry()
  }
  return (
    <>
      <h2>{t.factor}</h2>
      {error && <Failure error={error} />}
      {shown.kind === 'setup' ? (
        <FactorSetup
          setup={shown.setup}
          onDone={(codes) => {
            setShown({ kind: 'codes', codes })
            noteFactor(true)
          }}
          onCancel={settle}
        />
      ) : shown.kind === 'codes' ? (
        <RecoveryCodes codes={shown.codes} email={email} onKept={settle} />
      ) : status.state === 'failed' ? (
        <Failure error={status.error} onRetry={retry} />
      ) : (
        status.state === 'there' && (
          <FactorState status={status.value} {...{ isBusy, begin, renew, onOff: settle }} />
        )
      )}
    </>
  )
}

/** Keeps what the shell knows of the person true. */
function noteFactor(isOn: boolean): void {
  const known = me.get()
  if (known?.user) me.set({ ...known, user: { ...known.user, two_factor_enabled: isOn } })
}

function FactorState({
  status: { enabled, enabled_at, recovery_codes_left },
  isBusy,
  begin,
  renew,
  onOff,
}: {
  status: TwoFactorStatus
  isBusy: boolean
  begin(): void
  renew(): void
  onOff(): void
}) {
  const [isAsking, setAsking] = useState(false)
  if (!enabled)
    return (
      <>
        <p>{t.factorHint}</p>
        <p>
          <button type="button" class="primary" disabled={isBusy} onClick={begin}>
            {t.factorBegin}
          </button>
        </p>
      </>
    )
  return (
    <>
      <p>
        <strong>{t.factorOn(enabled_at === null ? '' : formatMoment(enabled_at))}</strong>
      </p>
      <p class={recovery_codes_left < 3 ? 'wrong' : 'muted'}>{t.codesLeft(recovery_codes_left)}</p>
      <p class="actions">
        <button type="button" disabled={isBusy} onClick={renew}>
          {t.codesRenew}
        </button>
        <button type="button" class="danger" onClick={() => setAsking(true)}>
          {t.factorOff}
        </button>
      </p>
      {isAsking && (
        <Confirm
          question={t.factorOffSure}
          action={t.factorOff}
          onConfirm={async () => {
            await call('POST /v1/security/2fa/disable').catch((thrown) => {
              throw explain(thrown)
            })
            noteFactor(false)
            onOff()
          }}
          onClose={() => setAsking(false)}
        >
          <p>{t.factorOffHint}</p>
        </Confirm>
      )}
    </>
  )
}
