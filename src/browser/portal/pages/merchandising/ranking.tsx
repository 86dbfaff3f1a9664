import { useState } from 'preact/hooks'
import type { Learning, StoreSettings } from '#generated/api.ts'
import { call, readVersion, type Versioned } from '../../api/client.ts'
import { formatNumber, formatSigned } from '../../language.ts'
import { Choice } from '../../parts/choice.tsx'
import { NotSaved, type Shown } from '../../parts/conflict.tsx'
import { Moment } from '../../parts/moment.tsx'
import { Failure } from '../../parts/panel.tsx'
import { SaveLine } from '../../parts/save-line.tsx'
import { Show } from '../../parts/show.tsx'
import { Switch } from '../../parts/switch.tsx'
import { useLoad } from '../../parts/use-load.ts'
import { useSending } from '../../parts/use-sending.ts'
import { addressOf } from '../../shell/routes.ts'
import { t as shell } from '../../texts/texts.ts'
import type { PartProps } from './merchandising-page.tsx'
import { t } from './texts/texts.ts'

/** Where sold-out products stand, and whether clicks decide between products. */
export function Ranking({ store, can }: PartProps) {
  const maySet = can('security:manage')
  const settings = useLoad(
    async (signal) => (maySet ? readVersion('GET /v1/store/settings', { signal }) : null),
    [],
  )
  const learning = useLoad((signal) => call('GET /v1/search/learning', { signal }), [])
  const [, reload] = learning
  return (
    <>
      <h2>{t.soldOut}</h2>
      <p class="muted section-lead">{t.soldOutHint}</p>
      {maySet ? (
        <Show of={settings}>{(latest) => latest && <SoldOut latest={latest} />}</Show>
      ) : (
        <p class="muted">{shell.mayNot}</p>
      )}
      <h2 class="apart">{t.learning}</h2>
      <p class="muted section-lead">{t.learningHint}</p>
      <Show of={learning}>
        {(state) => <LearningState {...{ state, store, maySet }} onChanged={reload} />}
      </Show>
    </>
  )
}

const show = ({ sold_out }: StoreSettings): Shown => ({ [t.soldOut]: t.soldOuts[sold_out ?? 'default'] })

function SoldOut({ latest }: { latest: Versioned<StoreSettings> }) {
  const [{ value: saved, version }, setSaved] = useState(latest)
  const [chosen, setChosen] = useState<string>(saved.sold_out ?? '')
  const [isDone, setDone] = useState(false)
  const { isBusy, error, run } = useSending()
  const isChanged = chosen !== (saved.sold_out ?? '')

  /** @param ifMatch the version that may be overwritten. */
  async function save(ifMatch: string | null) {
    const sold_out = (chosen || null) as StoreSettings['sold_out']
    await call('PATCH /v1/store/settings', { body: { sold_out }, ifMatch })
    setSaved(await readVersion('GET /v1/store/settings'))
    setDone(true)
  }

  return (
    <form
      class="form"
      onSubmit={(event) => {
        event.preventDefault()
        run(() => save(version))
      }}
    >
      <Choice
        label={t.soldOut}
        value={chosen}
        onValue={(value) => {
          setDone(false)
          setChosen(value)
        }}
        choices={[
          ['', t.soldOuts.default],
          ['last', t.soldOuts.last],
          ['hide', t.soldOuts.hide],
          ['keep', t.soldOuts.keep],
        ]}
      />
      <NotSaved
        {...{ error, isBusy }}
        before={show(saved)}
        load={async (signal) => show(await call('GET /v1/store/settings', { signal }))}
        onSave={(present) => run(() => save(present))}
      />
      <SaveLine label={t.saveChoice} canSave={!isBusy && isChanged} done={isDone && !isChanged && t.saved} />
    </form>
  )
}

interface StateProps {
  state: Learning
  store: string
  maySet: boolean
  onChanged(): void
}

/** What is still missing before clicks may count, and the switch. */
function LearningState({
  state: { learn, clicks, needed, replay_gain, can_learn, products, learned_at },
  store,
  maySet,
  onChanged,
}: StateProps) {
  const { isBusy, error, run } = useSending()
  const isReady = learn || can_learn
  return (
    <>
      <dl class="facts">
        <div>
          <dt>{t.clicks}</dt>
          <dd>
            <progress value={Math.min(clicks, needed)} max={needed} aria-label={t.clicks} />{' '}
            {t.clicksOf(formatNumber(clicks), formatNumber(needed))}
          </dd>
        </div>
        <div>
          <dt>{t.replayGain}</dt>
          <dd>
            {replay_gain === null ? t.notReplayed : formatSigned(replay_gain)}{' '}
            <a href={`${addressOf(store, 'merchandising')}?part=replay`}>{t.parts.replay}</a>
          </dd>
        </div>
        {learned_at !== null && (
          <div>
            <dt>{t.learnedLast}</dt>
            <dd>
              <Moment at={learned_at} /> · {t.productsGain(formatNumber(products))}
            </dd>
          </div>
        )}
      </dl>
      <Switch
        label={t.learn}
        hint={maySet ? (isReady ? t.canLearn : t.cannotLearn) : shell.mayNot}
        isOn={learn}
        isFixed={isBusy || !maySet || !isReady}
        onChange={(isOn) =>
          run(async () => {
            await call('PATCH /v1/store/settings', { body: { search_defaults: { learn: isOn } } })
            onChanged()
          })
        }
      />
      {error && <Failure error={error} />}
    </>
  )
}
