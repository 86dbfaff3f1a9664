import type { ComponentChildren } from 'preact'
import type { Me } from '#generated/api.ts'
import { signOut } from '../api/session.ts'
import { Mark } from '../parts/mark.tsx'
import { t } from '../texts/texts.ts'
import { HeaderSearch } from './header-search.tsx'
import { addressOf, PARENTS, STORE_PAGES, type StorePage } from './routes.ts'

/** Around every page of a store: its name, the pages, the search, the person. */
export function Frame({
  store,
  page,
  me,
  children,
}: {
  store: string
  page: StorePage
  me: Me
  children: ComponentChildren
}) {
  const canSearch = me.permissions.includes('search:execute')
  const hasOthers = me.memberships.length > 1 || me.user?.is_super_admin
  return (
    <div class="frame">
      <a class="skip" href="#content">
        {t.skip}
      </a>
      {me.active_store?.role === null && <aside class="banner operating">{t.asOperator}</aside>}
      <header class="top">
        <a class="brand" href={addressOf(store, 'overview')}>
          <Mark />
          <span dir="auto">{me.active_store?.name ?? store}</span>
        </a>
        {canSearch && <HeaderSearch store={store} />}
        <details class="person">
          <summary aria-label={t.account}>{[...(me.user?.name ?? '?')][0]?.toUpperCase()}</summary>
          <div class="menu">
            <p>
              <strong dir="auto">{me.user?.name}</strong>
              <br />
              <span class="muted">{me.user?.email}</span>
            </p>
            {hasOthers && <a href="/portal/select-store">{t.switchStore}</a>}
            <a href="/docs" target="_blank" rel="noopener">
              {t.api}
            </a>
            <a href="/docs/guide" target="_blank" rel="noopener">
              {t.guide}
            </a>
            <button type="button" class="link" onClick={() => signOut()}>
              {t.signOut}
            </button>
          </div>
        </details>
      </header>
      <nav class="rail" aria-label={t.places}>
        {STORE_PAGES.filter((name) => !PARENTS[name]).map((name) => (
          <a
            key={name}
            href={addressOf(store, name)}
            aria-current={name === page ? 'page' : name === PARENTS[page] ? 'true' : undefined}
          >
            {t.pages[name]}
          </a>
        ))}
      </nav>
      <main id="content" tabIndex={-1}>
        {children}
      </main>
    </div>
  )
}
