import type { ComponentType } from 'preact'
import { Failure, Panel } from '../../parts/panel.tsx'
import { useLoad } from '../../parts/use-load.ts'
import { address, addressOf, type PageProps } from '../../shell/routes.ts'
import { useSignal } from '../../signal.ts'
import { t as shell } from '../../texts/texts.ts'
import { t } from './texts/texts.ts'

export interface PartProps {
  store: string
  can: PageProps['can']
  mayWrite: boolean
}

/** The parts of the page, each loaded when somebody opens it. */
const PARTS = {
  rules: async () => (await import('./rules.tsx')).Rules,
  words: async () => (await import('./words.tsx')).Words,
  ranking: async () => (await import('./ranking.tsx')).Ranking,
  replay: async () => (await import('./replay.tsx')).Replays,
} as const satisfies Record<string, () => Promise<ComponentType<PartProps>>>

type Part = keyof typeof PARTS
const PART_NAMES = Object.keys(PARTS) as Part[]

/** What a merchant decides about results with their own hands. */
export function Page({ store, can }: PageProps) {
  const query = new URLSearchParams(useSignal(address).split('?')[1])
  const part = PART_NAMES.find((name) => name === query.get('part')) ?? 'rules'
  const [loaded, retry] = useLoad(async () => ({ part, Part: await PARTS[part]() }), [part])
  const mayRead = can('search:read')
  return (
    <div class="plain-page merchandising">
      <div class="page-head">
        <h1>{t.heading}</h1>
      </div>
      {!mayRead && <p class="muted">{shell.mayNot}</p>}
      {mayRead && (
        <>
          <nav class="group" aria-label={t.heading}>
            {PART_NAMES.map((name) => (
              <a
                key={name}
                href={`${addressOf(store, 'merchandising')}${name === 'rules' ? '' : `?part=${name}`}`}
                aria-current={name === part ? 'page' : undefined}
              >
                {t.parts[name]}
              </a>
            ))}
          </nav>
          {loaded.state === 'failed' && <Failure error={loaded.error} onRetry={retry} />}
          {loaded.state === 'there' && loaded.value.part === part && (
            <Panel key={part}>
              <loaded.value.Part {...{ store, can }} mayWrite={can('search:write')} />
            </Panel>
          )}
        </>
      )}
    </div>
  )
}
