import type { AdminModels } from '#generated/api.ts'
import { Copied } from '../../../parts/copy.tsx'
import { Failure, Panel } from '../../../parts/panel.tsx'
import { t as shell } from '../../../texts/texts.ts'
import { t as admin } from '../texts/texts.ts'
import { addCommand, Fetching } from './fetching.tsx'
import { ModelCard } from './model-card.tsx'
import { Former, Move } from './move.tsx'
import { Standings } from './standings.tsx'
import { t } from './texts/texts.ts'
import { useModels } from './use-models.ts'

/** The model in use, the others, and the move from one to another. */
export function Tab() {
  const [loaded, refresh] = useModels()
  return (
    <>
      <div class="heading">
        <h1>{admin.tabs.models}</h1>
      </div>
      {loaded.state === 'loading' && <p class="waiting">{shell.loading}</p>}
      {loaded.state === 'failed' && <Failure error={loaded.error} onRetry={refresh} />}
      {loaded.state === 'there' && <Models all={loaded.value} refresh={refresh} />}
    </>
  )
}

const DAY_MS = 86_400_000
/** What has ended is news for so long. */
const NEWS_MS = { move: 7 * DAY_MS, fetch: DAY_MS }

const isNews = ({ finished_at }: { finished_at: string | null }, ms: number): boolean =>
  finished_at === null || Date.now() - Date.parse(finished_at) < ms

interface ModelsProps {
  all: AdminModels
  refresh(): void
}

function Models({ all, refresh }: ModelsProps) {
  const { move, former, fetch, in_use, model_dir_set } = all
  const isMoving = move?.state === 'running'
  return (
    <>
      <p class="muted models-hint">{t.hint}</p>
      {model_dir_set && <p class="note models-hint">{t.modelDirSet}</p>}
      {move && isNews(move, NEWS_MS.move) && <Move {...{ move, refresh }} />}
      {former && !isMoving && <Former {...{ former, inUse: in_use, refresh }} />}
      {fetch && isNews(fetch, NEWS_MS.fetch) && <Fetching {...{ fetch, refresh }} />}
      <Lists {...{ all, refresh }} />
      <Standings round={`${move?.id} ${move?.state} ${move?.stores_done}`} />
    </>
  )
}

function Lists({ all, refresh }: ModelsProps) {
  const known = all.models.filter(({ state }) => state === 'known')
  const here = all.models.filter(({ state }) => state !== 'known')
  const cards = (models: AdminModels['models']) => (
    <ul class="models">
      {models.map((model) => (
        <ModelCard key={model.name} {...{ model, all, refresh }} />
      ))}
    </ul>
  )
  return (
    <>
      <Panel class="block">
        <h2>{t.here}</h2>
        {cards(here)}
      </Panel>
      <Panel class="block">
        <h2>{t.known}</h2>
        {all.is_offline && (
          <div class="note">
            <p>{t.offline}</p>
            <Copied text={addCommand()} />
          </div>
        )}
        {known.length > 0 ? cards(known) : <p class="muted">{t.allHere}</p>}
      </Panel>
      <Panel class="block stack">
        <h2>{t.ownFolder}</h2>
        <p>{t.ownFolderHint}</p>
        <Copied text={addCommand()} />
        <p>
          <a href="/docs/guide/models" target="_blank" rel="noopener">
            {t.guide}
          </a>
        </p>
      </Panel>
    </>
  )
}
