import type { StoreSettings, UnmetDemand } from '#generated/api.ts'
import { call } from '../../api/client.ts'
import { formatAgo, formatNumber } from '../../language.ts'
import { useHeld } from '../../parts/held.ts'
import { Failure } from '../../parts/panel.tsx'
import { Picture } from '../../parts/picture.tsx'
import { useAction } from '../../parts/use-action.ts'
import { useLoad } from '../../parts/use-load.ts'
import { handOver } from '../../shell/handed-query.ts'
import { addressOf, go } from '../../shell/routes.ts'
import { t } from './texts/texts.ts'

type Cluster = UnmetDemand['clusters'][number]

/** Photos that nothing in the shop looks like, as a contact sheet. */
export function InVain({ store, maySwitch }: { store: string; maySwitch: boolean }) {
  const [unmet, retry] = useLoad((signal) => call('GET /v1/search/analytics/unmet', { signal }), [store])
  return (
    <div class="in-vain">
      <h2>{t.vain}</h2>
      <p class="muted lead">{t.vainHint}</p>
      {unmet.state === 'failed' && <Failure error={unmet.error} onRetry={retry} />}
      {unmet.state === 'there' && <Clusters clusters={unmet.value.clusters} store={store} />}
      {maySwitch ? <Switch onSwitched={retry} /> : <p class="muted lead">{t.keepLocked}</p>}
    </div>
  )
}

function Clusters({ clusters, store }: { clusters: readonly Cluster[]; store: string }) {
  if (clusters.length === 0) return <p class="muted lead">{t.vainNone}</p>
  return (
    <ul class="vain">
      {clusters.map((cluster) => (
        <li key={cluster.example_search_ids[0]}>
          <ClusterCard cluster={cluster} store={store} />
        </li>
      ))}
    </ul>
  )
}

function ClusterCard({ cluster, store }: { cluster: Cluster; store: string }) {
  const { shows, searches, example_thumbnails, last_searched_at } = cluster
  const [best] = shows
  const name = shows.map(({ name }) => name).join(', ')
  /** Opens the playground with a photo that found nothing. */
  async function open(thumbnail: string) {
    const answer = await fetch(thumbnail)
    // The picture may have been deleted since; the words are still worth a search.
    handOver({ words: '', picture: answer.ok ? await answer.blob() : null })
    go(addressOf(store, 'playground'))
  }
  return (
    <>
      <p class="contact-sheet">
        {example_thumbnails.length === 0 && <Picture src={null} name={best?.name ?? '?'} />}
        {example_thumbnails.map((thumbnail) => (
          <button
            key={thumbnail}
            type="button"
            aria-label={t.vainTry(name || t.vainUnknown)}
            onClick={() => open(thumbnail)}
          >
            <Picture src={thumbnail} name={name || '?'} />
          </button>
        ))}
      </p>
      <p>
        <strong>{t.vainTimes(formatNumber(searches))}</strong> <span dir="auto">{name || t.vainUnknown}</span>
        <br />
        <span class="muted">{formatAgo(last_searched_at)}</span>
      </p>
      {best && (
        <a href={`${addressOf(store, 'playground')}?q=${encodeURIComponent(best.name)}`}>
          {t.vainTry(best.name)}
        </a>
      )}
    </>
  )
}

/** Whether small copies of such photos are kept, said before it is switched on. */
function Switch({ onSwitched }: { onSwitched(): void }) {
  const [loaded, retry] = useLoad<StoreSettings>((signal) => call('GET /v1/store/settings', { signal }), [])
  const [settings, setSettings] = useHeld(loaded)
  const isOn = settings?.unmatched_thumbnails ?? false
  const change = useAction(async () => {
    const saved = await call('PATCH /v1/store/settings', { body: { unmatched_thumbnails: !isOn } })
    setSettings(() => saved)
    onSwitched()
  })
  if (loaded.state === 'failed') return <Failure error={loaded.error} onRetry={retry} />
  if (!settings) return null
  return (
    <>
      <p class="lead">{isOn ? t.vainOn : t.vainOff}</p>
      <p>
        <button type="button" disabled={change.isBusy} onClick={change.run}>
          {isOn ? t.forget : t.keep}
        </button>
      </p>
      {change.error && <Failure error={change.error} />}
    </>
  )
}
