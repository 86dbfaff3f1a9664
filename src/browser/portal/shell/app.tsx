import { useEffect, useState } from 'preact/hooks'
import { isOffline } from '../api/offline.ts'
import { listenForToken } from '../api/session.ts'
import { Dialog } from '../parts/dialog.tsx'
import { Mark } from '../parts/mark.tsx'
import { Failure } from '../parts/panel.tsx'
import { useLoad } from '../parts/use-load.ts'
import { useSignal } from '../signal.ts'
import { t } from '../texts/texts.ts'
import { Frame } from './frame.tsx'
import { askingAgain, loadMe, me, rightsChanged } from './me.ts'
import { opening } from './opening.ts'
import { OfferToOpen } from './operating.tsx'
import {
  LOAD_LONE_PAGE,
  LOAD_STORE_PAGE,
  type LonePageName,
  loadOperatorPages,
  type PageModule,
} from './pages.ts'
import { type AdminTab, address, readRoute, type StorePage } from './routes.ts'
import { SignInForm } from './sign-in-form.tsx'

/** Shows the page that the address names. */
export function App() {
  const route = readRoute(useSignal(address).replace(/\?.*$/, ''))
  return (
    <>
      <Banners />
      {route.kind === 'nothing' ? (
        <Nothing />
      ) : route.kind === 'store' ? (
        <StorePlace key={route.store} store={route.store} page={route.page} />
      ) : route.kind === 'admin' ? (
        <OperatorPlace tab={route.tab} />
      ) : (
        <LonePage key={route.kind} name={route.kind} />
      )}
      <SignInAgain />
    </>
  )
}

function Nothing() {
  return (
    <main class="lone" id="content">
      <h1>{t.noPage}</h1>
      <p>
        <a href="/portal/select-store">{t.chooseStore}</a>
      </p>
    </main>
  )
}

/** A page about no store: one centred column. */
function LonePage({ name }: { name: LonePageName }) {
  const [page, retry] = useLoad<PageModule>(() => LOAD_LONE_PAGE[name](), [name])
  return (
    <main class="lone" id="content">
      <a class="brand" href="/">
        <Mark />
        {t.brand}
      </a>
      {page.state === 'there' && <page.value.Page store="" can={() => false} />}
      {page.state === 'failed' && <Failure error={page.error} onRetry={retry} />}
    </main>
  )
}

function OperatorPlace({ tab }: { tab: AdminTab }) {
  const [pages, retry] = useLoad(loadOperatorPages, [])
  if (pages.state === 'there') return <pages.value.Page tab={tab} />
  if (pages.state === 'loading') return <p class="waiting">{t.loading}</p>
  return <Failure error={pages.error} onRetry={retry} />
}

/** Everything about one store: who asks, the frame, the page. */
function StorePlace({ store, page }: { store: string; page: StorePage }) {
  const [loaded, retry] = useLoad(() => loadMe(store), [store])
  const current = useSignal(me)
  const isOpen = useSignal(opening)?.slug === store
  const [wasOpen, setWasOpen] = useState(false)
  useEffect(() => {
    if (isOpen) setWasOpen(true)
  }, [isOpen])
  if (loaded.state === 'failed')
    return (
      <main class="lone" id="content">
        {loaded.error.status === 403 || loaded.error.status === 404 ? (
          <>
            <h1>{t.noAccess}</h1>
            <p>{t.noAccessHint}</p>
            <p>
              <a href="/portal/select-store">{t.chooseStore}</a>
            </p>
          </>
        ) : (
          <Failure error={loaded.error} onRetry={retry} />
        )}
      </main>
    )
  if (loaded.state === 'loading' || !current) return <p class="waiting">{t.loading}</p>
  const { active_store } = current
  if (active_store?.role === null && !isOpen) return <OfferToOpen store={active_store} isOver={wasOpen} />
  return (
    <Frame store={store} page={page} me={current}>
      <StorePageOf
        key={page}
        store={store}
        page={page}
        rights={[...current.permissions, ...current.powers]}
      />
    </Frame>
  )
}

function StorePageOf({ store, page, rights }: { store: string; page: StorePage; rights: readonly string[] }) {
  const [loaded, retry] = useLoad<PageModule>(() => LOAD_STORE_PAGE[page](), [page])
  useEffect(() => {
    document.title = `${t.pages[page]} · ${t.brand}`
  }, [page])
  if (loaded.state === 'failed') return <Failure error={loaded.error} onRetry={retry} />
  if (loaded.state === 'loading') return <p class="waiting">{t.loading}</p>
  return <loaded.value.Page store={store} can={(right) => rights.includes(right)} />
}

/** What concerns the whole page, above it. */
function Banners() {
  const changed = useSignal(rightsChanged)
  return (
    <>
      {useSignal(isOffline) && (
        <p class="banner problem" role="alert">
          {t.offline}
        </p>
      )}
      {changed && (
        <p class="banner" role="status">
          {t.rightsChanged}{' '}
          <button type="button" class="link" onClick={() => rightsChanged.set(false)}>
            ✓
          </button>
        </p>
      )}
    </>
  )
}

/** The dialog over a page whose sign-in has ended. What the page holds stays as it is. */
function SignInAgain() {
  const done = useSignal(askingAgain)
  useEffect(() => {
    listenForToken(() => askingAgain.get()?.())
  }, [])
  if (!done) return null
  return (
    <Dialog class="again" label={t.gone}>
      <h2>{t.gone}</h2>
      <p>{t.goneHint}</p>
      <SignInForm email={me.get()?.user?.email ?? ''} onDone={done} />
    </Dialog>
  )
}
