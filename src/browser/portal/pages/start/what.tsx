import { useState } from 'preact/hooks'
import type { Samples } from '#generated/api.ts'
import { call } from '../../api/client.ts'
import { type CallError, toCallError } from '../../api/errors.ts'
import { send } from '../../api/transport.ts'
import { Failure, Panel } from '../../parts/panel.tsx'
import { useLoad } from '../../parts/use-load.ts'
import { ApiCard } from './api-card.tsx'
import { FactsForm } from './facts-form.tsx'
import type { StepProps } from './start-page.tsx'
import { t } from './texts/texts.ts'

/** One of the drawn products: where it is, so are the others. */
const DRAWN = 'demo-mug-red'

/** The second step: three ways to have something that can be found. */
export function What(props: StepProps) {
  const { store } = props
  const hasProducts = props.overview.checklist.some(({ key, is_done }) => key === 'products' && is_done)
  return (
    <>
      <h1>{t.what}</h1>
      <div class="cards">
        <Panel class="card">
          <DrawnCard {...props} />
        </Panel>
        <Panel class="card">
          <h2>{t.import}</h2>
          <p>{t.importHint}</p>
          <p class="muted">{t.importKinds}</p>
          <p>
            <a class="button" href={`/${store}/portal/products/import`}>
              {t.importGo}
            </a>
          </p>
        </Panel>
        <Panel class="card">
          <ApiCard store={store} />
        </Panel>
      </div>
      <details class="fold">
        <summary>{t.facts}</summary>
        <FactsForm />
      </details>
      {hasProducts && (
        <p>
          <button type="button" onClick={() => props.onStep(3)}>
            {t.goLook}
          </button>
        </p>
      )}
    </>
  )
}

const hasDrawn = async (signal: AbortSignal): Promise<boolean> => {
  const { products } = await call('GET /v1/products', { query: { q: DRAWN, limit: 1 }, signal })
  return products.some(({ product_id }) => product_id === DRAWN)
}

/** The products that come with the program: there in seconds, and gone again with one click. */
function DrawnCard({ can, onStep, onChange }: StepProps) {
  const [state, setState] = useState<'idle' | 'busy' | CallError>('idle')
  const [drawn, retry] = useLoad(hasDrawn, [])
  const isThere = drawn.state === 'there' && drawn.value

  async function run(work: () => Promise<unknown>, onDone: () => void) {
    setState('busy')
    try {
      await work()
      setState('idle')
      onDone()
    } catch (thrown) {
      setState(toCallError(thrown))
    }
  }
  const load = () =>
    run(
      () => call('POST /v1/products/demo'),
      () => {
        onStep(3)
        onChange()
      },
    )
  const remove = () =>
    run(
      () => call('DELETE /v1/products/demo'),
      () => {
        retry()
        onChange()
      },
    )
  return (
    <>
      <SampleStrip />
      <h2>{t.drawn}</h2>
      <p>{isThere ? t.drawnThere : t.drawnHint}</p>
      {state instanceof Error && <Failure error={state} />}
      <p class="actions">
        {isThere ? (
          can('products:delete') && (
            <button type="button" disabled={state === 'busy'} onClick={remove}>
              {t.drawnRemove}
            </button>
          )
        ) : (
          <button
            type="button"
            class="primary"
            disabled={state === 'busy' || drawn.state === 'loading'}
            onClick={load}
          >
            {state === 'busy' ? t.drawnLoading : t.drawnLoad}
          </button>
        )}
      </p>
    </>
  )
}

/** A few of the drawn pictures, so that the eye meets pictures before words. */
function SampleStrip() {
  const [samples] = useLoad(async () => (await send('GET', '/samples')) as Samples, [])
  return (
    <ul class="sample-strip" aria-hidden="true">
      {samples.state === 'there' &&
        samples.value.slice(0, 4).map(({ url }) => (
          <li key={url} class="picture">
            <img src={new URL(url, location.origin).pathname} alt="" />
          </li>
        ))}
    </ul>
  )
}
