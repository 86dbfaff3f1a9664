import { signal } from '../signal.ts'
import type { LonePageName } from './pages.ts'

/** What every page of a store gets. */
export interface PageProps {
  /** Slug of the store; empty on pages about none. */
  store: string
  /** What the person may do with the store: a permission, or a power over it. */
  can(right: string): boolean
}

/** The pages of a store, with the rest of their addresses. */
const PATHS = {
  overview: '',
  products: 'products',
  import: 'products/import',
  jobs: 'jobs',
  feeds: 'feeds',
  report: 'report',
  playground: 'playground',
  merchandising: 'merchandising',
  analytics: 'analytics',
  searches: 'analytics/searches',
  widget: 'widget',
  keys: 'keys',
  webhooks: 'webhooks',
  team: 'team',
  plan: 'plan',
  settings: 'settings',
  start: 'start',
} as const

export type StorePage = keyof typeof PATHS

const STORE_PAGES = Object.keys(PATHS) as StorePage[]

/** The page of a name that came from elsewhere. */
export const readStorePage = (name: string): StorePage | undefined =>
  STORE_PAGES.find((page) => page === name)

/** Pages about no store, by their addresses. */
const LONE_PATHS: Readonly<Record<string, LonePageName>> = {
  '/login': 'login',
  '/forgot': 'forgot',
  '/setup': 'setup',
  '/register': 'register',
  '/invite': 'invite',
  '/verify': 'verify',
  '/verify/cancel': 'verify-cancel',
  '/verify/email': 'verify-email',
  '/verify/email/approve': 'verify-email-approve',
  '/unsubscribe': 'unsubscribe',
  '/oauth/password/reset': 'new-password',
  '/portal/select-store': 'select-store',
  '/portal/account': 'account',
}

/** Pages without an entry in the navigation, with the entry that leads to them. */
const BESIDE: Readonly<Partial<Record<StorePage, StorePage>>> = {
  import: 'products',
  jobs: 'products',
  feeds: 'products',
  report: 'products',
  searches: 'analytics',
}

/** Pages with an address of its own for each thing that they list. */
const WITH_DETAIL: ReadonlySet<StorePage> = new Set(['jobs'])

/** The entry of the navigation under which a page stands. */
export const placeOf = (page: StorePage): StorePage => BESIDE[page] ?? page

/** The pages that stand together with a page; none where it stands alone. */
export function listGroup(page: StorePage): StorePage[] {
  const group = STORE_PAGES.filter((other) => placeOf(other) === placeOf(page))
  return group.length > 1 ? group : []
}

/** The operator's pages in the order of their navigation. */
export const ADMIN_TABS = [
  ...(['today', 'stores', 'people', 'mail', 'billing'] as const),
  ...(['backups', 'models', 'health', 'settings', 'version'] as const),
] as const

export type AdminTab = (typeof ADMIN_TABS)[number]

export const addressOfTab = (tab: AdminTab): string => (tab === 'today' ? '/admin' : `/admin/${tab}`)

/** What an address names. */
export type Route =
  | { kind: LonePageName | 'nothing' }
  | { kind: 'admin'; tab: AdminTab }
  | { kind: 'store'; store: string; page: StorePage }

export function readRoute(path: string): Route {
  const [first = '', second, ...rest] = path.replace(/^\/|\/$/g, '').split('/')
  const lone = LONE_PATHS[path.replace(/\/$/, '')]
  if (lone) return { kind: lone }
  if (first === 'admin') {
    const tab = ADMIN_TABS.find((tab) => addressOfTab(tab) === path.replace(/\/$/, ''))
    return tab ? { kind: 'admin', tab } : { kind: 'nothing' }
  }
  if (first === '' || second !== 'portal') return { kind: 'nothing' }
  const isAt = (page: StorePage, parts: readonly string[]) => PATHS[page] === parts.join('/')
  const page =
    STORE_PAGES.find((name) => isAt(name, rest)) ??
    STORE_PAGES.find((name) => WITH_DETAIL.has(name) && isAt(name, rest.slice(0, -1)))
  return page ? { kind: 'store', store: first, page } : { kind: 'nothing' }
}

export const addressOf = (store: string, page: StorePage): string =>
  `/${store}/portal${PATHS[page] && `/${PATHS[page]}`}`

/** The thing that an address names within its page, such as a job; null for the page itself. */
export function readDetail(path: string, page: StorePage): string | null {
  const detail = path.replace(/[?#].*$/, '').split(`/portal/${PATHS[page]}/`)[1]
  return detail || null
}

/** Path and query of the page that is shown. */
export const address = signal(location.pathname + location.search)

const follow = () => address.set(location.pathname + location.search)

/** Shows another address without loading the document again. */
export function go(path: string): void {
  history.pushState(null, '', path)
  follow()
  window.scrollTo(0, 0)
}

/** Replaces the query of the page, as a filter does: no step to go back to. */
export function setQuery(query: URLSearchParams): void {
  history.replaceState(null, '', `${location.pathname}${query.size > 0 ? `?${query}` : ''}`)
  follow()
}

/** Makes links to our own pages switch without a request; every other click stays the browser's. */
export function followLinks(): void {
  window.addEventListener('popstate', follow)
  document.addEventListener('click', (event) => {
    if (event.defaultPrevented || event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey)
      return
    const link = (event.target as Element).closest('a')
    if (!link || link.origin !== location.origin || link.target || link.hasAttribute('download')) return
    if (readRoute(link.pathname).kind === 'nothing') return
    // A place on the page that is shown.
    if (link.hash !== '' && link.pathname + link.search === address.get()) return
    event.preventDefault()
    go(link.pathname + link.search + link.hash)
  })
}
