import type { ComponentChildren } from 'preact'
import type { Me } from '#generated/api.ts'
import { Mark } from '../parts/mark.tsx'
import { t } from '../texts/texts.ts'
import { HeaderSearch } from './header-search.tsx'
import { OperatorBanner } from './operating.tsx'
import { PersonMenu } from './person-menu.tsx'
import { addressOf, addressOfTab, STORE_PAGES, type StorePage } from './routes.ts'

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
      <OperatorBanner store={store} />
      <header class="top">
        <a class="brand" href={addressOf(store, 'overview')}>
          <Mark />
          <span dir="auto">{me.active_store?.name ?? store}</span>
        </a>
        {canSearch && <HeaderSearch store={store} />}
        <PersonMenu me={me}>
          {hasOthers && <a href="/portal/select-store">{t.switchStore}</a>}
          {me.user?.is_super_admin && <a href={addressOfTab('today')}>{t.operatorPages}</a>}
        </PersonMenu>
      </header>
      <nav class="rail" aria-label={t.places}>
        {STORE_PAGES.map((name) => (
          <a key={name} href={addressOf(store, name)} aria-current={name === page ? 'page' : undefined}>
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
