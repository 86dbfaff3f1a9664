import type { ComponentChildren } from 'preact'
import { useEffect, useRef, useState } from 'preact/hooks'
import type { Me } from '#generated/api.ts'
import { Mark } from '../parts/mark.tsx'
import { t } from '../texts/texts.ts'
import { HeaderSearch } from './header-search.tsx'
import { Help, useHelpKey } from './help.tsx'
import { OperatorBanner } from './operating.tsx'
import { PersonMenu } from './person-menu.tsx'
import { ForDevelopers, Rail } from './rail.tsx'
import { addressOf, addressOfTab, listGroup, placeOf, type StorePage } from './routes.ts'

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
  const [isHelping, setHelping] = useState(false)
  useHelpKey(() => setHelping(true))
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
          <button type="button" class="link" onClick={() => setHelping(true)}>
            {t.help}
          </button>
          <ForDevelopers me={me} />
        </PersonMenu>
      </header>
      <Rail {...{ store, page, me }} onHelp={() => setHelping(true)} />
      <main id="content" tabIndex={-1}>
        <Group store={store} page={page} />
        {children}
      </main>
      {isHelping && <Help page={page} onClose={() => setHelping(false)} />}
    </div>
  )
}

/** The pages that stand together with this one. */
function Group({ store, page }: { store: string; page: StorePage }) {
  const group = listGroup(page)
  const nav = useRef<HTMLElement>(null)
  // On a phone the present page may stand outside the window.
  useEffect(() => {
    nav.current?.querySelector('[aria-current]')?.scrollIntoView({ block: 'nearest', inline: 'center' })
  }, [page])
  if (group.length === 0) return null
  return (
    <nav class="group" ref={nav} aria-label={t.pages[placeOf(page)]}>
      {group.map((name) => (
        <a key={name} href={addressOf(store, name)} aria-current={name === page ? 'page' : undefined}>
          {t.pages[name]}
        </a>
      ))}
    </nav>
  )
}
