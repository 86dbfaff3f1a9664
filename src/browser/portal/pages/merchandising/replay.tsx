import { useEffect, useState } from 'preact/hooks'
import type { Replay, ReplayExample } from '#generated/api.ts'
import { call } from '../../api/client.ts'
import { formatNumber, formatSigned } from '../../language.ts'
import { Choice } from '../../parts/choice.tsx'
import { Copied } from '../../parts/copy.tsx'
import { Field } from '../../parts/field.tsx'
import { Moment } from '../../parts/moment.tsx'
import { Failure } from '../../parts/panel.tsx'
import { ProductTile } from '../../parts/product-tile.tsx'
import { Show } from '../../parts/show.tsx'
import { useLoad } from '../../parts/use-load.ts'
import { useSending } from '../../parts/use-sending.ts'
import type { PartProps } from './merchandising-page.tsx'
import { type Known, readProducts } from './products.ts'
import { FLAGS, NOTHING_TRIED, type Tried, toSettings } from './replay-settings.ts'
import { t } from './texts/texts.ts'
import { writeCurl } from './write-curl.ts'

/** Asked again this often while a replay runs, and never otherwise. */
const EVERY_MS = 2_000
/** So many products of each side stand beside each other. */
const SIDE = 4
const SEARCHES = '200'

/** Tries other settings on the last searches of the shop, and shows the last tries. */
export function Replays({ can }: PartProps) {
  const [round, setRound] = useState(0)
  const [list, reload] = useLoad((signal) => call('GET /v1/search/replay', { signal }), [round])
  const replays = list.state === 'there' ? list.value.replays : []
  return (
    <>
      <p class="muted section-lead">{t.replayHint}</p>
      <TryForm onStarted={() => setRound((n) => n + 1)} />
      <Show of={[list, reload]}>
        {() => (
          <>
            {replays.length === 0 && <p class="muted">{t.noReplays}</p>}
            {replays.map((replay, n) => (
              <OneReplay
                key={replay.job_id}
                {...{ first: replay, isOpen: n === 0, canSearch: can('search:execute') }}
              />
            ))}
          </>
        )}
      </Show>
    </>
  )
}

function TryForm({ onStarted }: { onStarted(): void }) {
  const [tried, setTried] = useState<Tried>(NOTHING_TRIED)
  const [last, setLast] = useState(SEARCHES)
  const { isBusy, error, run } = useSending()
  const settings = toSettings(tried)
  const body = { settings, last: Number(last) }
  const choose = (name: keyof Tried) => (value: string) => setTried({ ...tried, [name]: value })
  return (
    <form
      class="replay-form"
      onSubmit={(event) => {
        event.preventDefault()
        run(async () => {
          await call('POST /v1/search/replay', { body })
          onStarted()
        })
      }}
    >
      <div class="when-fields">
        {FLAGS.map((name) => (
          <Choice
            key={name}
            label={t.tried[name]}
            value={tried[name]}
            onValue={choose(name)}
            choices={[
              ['', t.asNow],
              ['true', t.on],
              ['false', t.off],
            ]}
          />
        ))}
        <Choice
          label={t.tried.cutoff}
          value={tried.cutoff}
          onValue={choose('cutoff')}
          choices={[
            ['', t.asNow],
            ['auto', t.on],
            ['none', t.off],
          ]}
        />
        <Choice
          label={t.soldOut}
          value={tried.sold_out}
          onValue={choose('sold_out')}
          choices={[
            ['', t.asNow],
            ['last', t.soldOuts.last],
            ['hide', t.soldOuts.hide],
            ['keep', t.soldOuts.keep],
          ]}
        />
        <Field
          label={t.tried.threshold}
          type="number"
          {...{ step: 'any', min: '0', max: '1' }}
          placeholder={t.asNow}
          value={tried.threshold}
          onValue={choose('threshold')}
        />
        <Field
          label={t.tried.category_boost}
          type="number"
          {...{ step: 'any', min: '0', max: '0.5' }}
          placeholder={t.asNow}
          value={tried.category_boost}
          onValue={choose('category_boost')}
        />
        <Field
          label={t.lastSearches}
          type="number"
          {...{ min: '1', max: '1000' }}
          required
          value={last}
          onValue={setLast}
        />
      </div>
      <details class="same-call">
        <summary>{t.sameCall}</summary>
        <Copied text={writeCurl('POST', '/v1/search/replay', body)} />
      </details>
      {error && <Failure error={error} />}
      <p class="actions">
        <button type="submit" class="primary" disabled={isBusy || Object.keys(settings).length === 0}>
          {t.startReplay}
        </button>
      </p>
    </form>
  )
}

const describe = (settings: Readonly<Record<string, unknown>>): string =>
  Object.entries(settings)
    .map(([name, value]) => {
      const label = name === 'sold_out' ? t.soldOut : (t.tried[name as keyof typeof t.tried] ?? name)
      const text =
        value === true || value === 'auto'
          ? t.on
          : value === false || value === 'none'
            ? t.off
            : String(value)
      return `${label}: ${text}`
    })
    .join(' · ')

interface OneProps {
  first: Replay
  isOpen: boolean
  canSearch: boolean
}

/** One try: how far it is, and what would change. */
function OneReplay({ first, isOpen, canSearch }: OneProps) {
  const [replay, setReplay] = useState(first)
  const { isBusy, error, run } = useSending()
  const path = { job_id: first.job_id }
  const isRunning = replay.status === 'processing'
  useEffect(() => {
    if (!isRunning) return
    const stop = new AbortController()
    const timer = setTimeout(
      () =>
        call('GET /v1/search/replay/{job_id}', { path, signal: stop.signal }).then(
          (next) => stop.signal.aborted || setReplay(next),
          // The page says that the service is away; the next try comes with the next answer.
          () => stop.signal.aborted || setReplay((before) => ({ ...before })),
        ),
      EVERY_MS,
    )
    return () => {
      stop.abort()
      clearTimeout(timer)
    }
  }, [replay])
  const { result, total, settings, created_at, status } = replay
  return (
    <details class="replay" open={isOpen}>
      <summary>
        {describe(settings)} · <Moment at={created_at} /> · {t.replayStates[status]}
      </summary>
      {isRunning && (
        <p class="job" role="status">
          <progress value={result.searches} max={total} aria-label={t.replayStates.processing} />{' '}
          {t.clicksOf(formatNumber(result.searches), formatNumber(total))}{' '}
          <button
            type="button"
            class="link"
            disabled={isBusy}
            onClick={() => run(() => call('POST /v1/jobs/{job_id}/cancel', { path }))}
          >
            {t.cancel}
          </button>
        </p>
      )}
      {error && <Failure error={error} />}
      <Figures result={result} />
      {canSearch && result.examples.length > 0 && <Examples examples={result.examples} />}
    </details>
  )
}

const Figures = ({ result: { searches, changed, changed_top, clicks } }: Pick<Replay, 'result'>) => (
  <dl class="facts">
    <div>
      <dt>{t.lastSearches}</dt>
      <dd>{formatNumber(searches)}</dd>
    </div>
    <div>
      <dt>{t.changedFirst}</dt>
      <dd>{formatNumber(changed)}</dd>
    </div>
    <div>
      <dt>{t.changedTop}</dt>
      <dd>{formatNumber(changed_top)}</dd>
    </div>
    <div>
      <dt>{t.clicked}</dt>
      <dd>
        {t.moved(formatNumber(clicks.rise), formatNumber(clicks.fall), formatNumber(clicks.same))}
        {clicks.gain !== null && ` · ${t.gain(formatSigned(clicks.gain))}`}
      </dd>
    </div>
  </dl>
)

/** Searches that would show something else, before and after. */
function Examples({ examples }: { examples: readonly ReplayExample[] }) {
  const ids = examples.flatMap(({ product_id, before, after }) => [
    ...(product_id === null ? [] : [product_id]),
    ...before.slice(0, SIDE),
    ...after.slice(0, SIDE),
  ])
  const loaded = useLoad((signal) => readProducts(ids, signal), [ids.join(' ')])
  return (
    <Show of={loaded}>
      {(products) => (
        <ul class="examples">
          {examples.map(({ query, product_id, before, after }) => (
            <li key={query ?? product_id}>
              <h2 dir="auto">{query ?? t.likeProduct(product_id ?? '')}</h2>
              <div class="sides">
                <Side label={t.before} ids={before} products={products} />
                <Side label={t.after} ids={after} products={products} />
              </div>
            </li>
          ))}
        </ul>
      )}
    </Show>
  )
}

const Side = ({
  label,
  ids,
  products,
}: {
  label: string
  ids: readonly string[]
  products: Readonly<Record<string, Known>>
}) => (
  <section>
    <p class="muted">{ids.length === 0 ? `${label}: –` : label}</p>
    <ol class="grid small">
      {ids.slice(0, SIDE).map((id) => (
        <li key={id}>
          <ProductTile
            id={id}
            src={products[id]?.thumbnail_url ?? null}
            metadata={products[id]?.metadata ?? {}}
          />
        </li>
      ))}
    </ol>
  </section>
)
