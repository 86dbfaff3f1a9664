import { useEffect } from 'preact/hooks'
import type { StoreOverview } from '#generated/api.ts'
import { call } from '../../api/client.ts'
import { Failure } from '../../parts/panel.tsx'
import { Steps } from '../../parts/steps.tsx'
import { useLoad } from '../../parts/use-load.ts'
import { address, addressOf, type PageProps, setQuery } from '../../shell/routes.ts'
import { useSignal } from '../../signal.ts'
import { t as shell } from '../../texts/texts.ts'
import { Look } from './look.tsx'
import { Shop } from './shop.tsx'
import { pickStep } from './step.ts'
import { t } from './texts/texts.ts'
import { What } from './what.tsx'

export interface StepProps extends PageProps {
  overview: StoreOverview
  onStep(step: number): void
  /** Looks again what the store has. */
  onChange(): void
}

/** The first run after the account: what should be found, a first search, the way into the shop. The store tells where it stands. */
export function Page(props: PageProps) {
  const { store, can } = props
  const asked = new URLSearchParams(useSignal(address).split('?')[1]).get('step')
  const [overview, retry] = useLoad((signal) => call('GET /v1/store/overview', { signal }), [store])
  const step = overview.state === 'there' ? pickStep(asked, overview.value.checklist) : null
  useEffect(() => {
    if (step !== null) document.getElementById('content')?.focus({ preventScroll: true })
  }, [step])
  if (overview.state === 'failed') return <Failure error={overview.error} onRetry={retry} />
  if (overview.state === 'loading' || step === null) return <p class="waiting">{shell.loading}</p>
  const onStep = (next: number) => {
    setQuery(new URLSearchParams({ step: String(next) }))
    window.scrollTo(0, 0)
  }
  if (!can('products:write'))
    return (
      <div class="first-run">
        <h1>{t.noRights}</h1>
        <p>
          <a class="primary" href={addressOf(store, 'overview')}>
            {t.toOverview}
          </a>
        </p>
      </div>
    )
  const Step = step === 2 ? What : step === 3 ? Look : Shop
  return (
    <div class="first-run">
      <Steps current={step} />
      <Step {...props} {...{ onStep, overview: overview.value, onChange: retry }} />
      <p class="actions">
        {step > 2 && (
          <button type="button" class="link" onClick={() => onStep(step - 1)}>
            {t.back}
          </button>
        )}
        {step < 4 && <a href={addressOf(store, 'overview')}>{t.later}</a>}
      </p>
    </div>
  )
}
