import type { ComponentType } from 'preact'
import { useEffect, useRef } from 'preact/hooks'
import { Mark } from '../../parts/mark.tsx'
import { Failure, Panel } from '../../parts/panel.tsx'
import { useLoad } from '../../parts/use-load.ts'
import { loadMe } from '../../shell/me.ts'
import { PersonMenu } from '../../shell/person-menu.tsx'
import { ADMIN_TABS, type AdminTab, addressOfTab } from '../../shell/routes.ts'
import { t as shell } from '../../texts/texts.ts'
import { t } from './texts/texts.ts'

/** Each tab loads when somebody opens it. */
const LOAD_TAB: Readonly<Record<AdminTab, () => Promise<{ Tab: ComponentType }>>> = {
  today: () => import('./today-tab.tsx'),
  stores: () => import('./stores-tab.tsx'),
  people: () => import('./people-tab.tsx'),
  mail: () => import('./mail-tab.tsx'),
  billing: () => import('./billing-tab.tsx'),
  backups: () => import('./backups-tab.tsx'),
  models: () => import('./models/models-tab.tsx'),
  health: () => import('./health-tab.tsx'),
  settings: () => import('./settings-tab.tsx'),
  version: () => import('./version-tab.tsx'),
}

/** The operator's pages, for super-admins alone. */
export function Page({ tab }: { tab: AdminTab }) {
  const [loaded, retry] = useLoad(() => loadMe(null), [])
  const tabs = useRef<HTMLElement>(null)
  useEffect(() => {
    document.title = `${t.tabs[tab]} · ${shell.operator}`
  }, [tab])
  // On a phone the chosen tab may stand outside the window.
  useEffect(() => {
    tabs.current?.querySelector('[aria-current]')?.scrollIntoView({ block: 'nearest', inline: 'center' })
  }, [tab, loaded.state])
  if (loaded.state === 'loading') return <p class="waiting">{shell.loading}</p>
  if (loaded.state === 'failed')
    return (
      <main class="lone" id="content">
        <Failure error={loaded.error} onRetry={retry} />
      </main>
    )
  if (!loaded.value.user?.is_super_admin) return <Refused />
  return (
    <div class="admin">
      <a class="skip" href="#content">
        {shell.skip}
      </a>
      <header class="operator-bar">
        <a class="brand" href={addressOfTab('today')}>
          <Mark />
          {shell.operator}
        </a>
        <PersonMenu me={loaded.value}>
          <a href="/portal/select-store">{shell.chooseStore}</a>
        </PersonMenu>
      </header>
      <nav class="tabs" aria-label={t.places} ref={tabs}>
        {ADMIN_TABS.map((name) => (
          <a key={name} href={addressOfTab(name)} aria-current={name === tab ? 'page' : undefined}>
            {t.tabs[name]}
          </a>
        ))}
      </nav>
      <main id="content" tabIndex={-1}>
        <Panel key={tab}>
          <TabOf tab={tab} />
        </Panel>
      </main>
    </div>
  )
}

function TabOf({ tab }: { tab: AdminTab }) {
  const [loaded, retry] = useLoad(LOAD_TAB[tab], [tab])
  if (loaded.state === 'failed') return <Failure error={loaded.error} onRetry={retry} />
  if (loaded.state === 'loading') return <p class="waiting">{shell.loading}</p>
  return <loaded.value.Tab />
}

/** For everybody else: what these pages are, and the way to their own. */
const Refused = () => (
  <main class="lone" id="content">
    <h1>{t.refused}</h1>
    <p>{t.refusedHint}</p>
    <p>
      <a class="primary" href="/portal/select-store">
        {shell.chooseStore}
      </a>
    </p>
  </main>
)
