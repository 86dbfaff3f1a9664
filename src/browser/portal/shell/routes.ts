import { signal } from '../signal.ts'

/** What every page of a store gets. */
export interface PageProps {
  /** Slug of the store; empty on pages about none. */
  store: string
  /** What the person may do in the store. */
  can(permission: string): boolean
}

/** The pages of a store in the order of the navigation, with the rest of their addresses. */
const PATHS = { overview: '', products: 'products', playground: 'playground' } as const

export type StorePage = keyof typeof PATHS

export const STORE_PAGES = Object.keys(PATHS) as StorePage[]

/** The operator's pages in the order of their navigation. */
export const ADMIN_TABS = [
  ...(['today', 'stores', 'people', 'mail', 'billing'] as const),
  ...(['backups', 'models', 'health', 'settings', 'version'] as const),
] as const

export type AdminTab = (typeof ADMIN_TABS)[number]

export const addressOfTab = (tab: AdminTab): string => (tab === 'today' ? '/admin' : `/admin/${tab}`)

/** What an address names. */
export type Route =
  | { kind: 'login' | 'forgot' | 'select-store' | 'nothing' }
  | { kind: 'admin'; tab: AdminTab }
  | { kind: 'store'; store: string; page: StorePage }

export function readRoute(path: string): Route {
  const [first = '', second, ...rest] = path.replace(/^\/|\/$/g, '').split('/')
  if (path === '/portal/select-store') return { kind: 'select-store' }
  if (first === 'admin') {
    const tab = ADMIN_TABS.find((tab) => addressOfTab(tab) === path.replace(/\/$/, ''))
    return tab ? { kind: 'admin', tab } : { kind: 'nothing' }
  }
  if (second !== 'portal')
    return first === 'login' || first === 'forgot' ? { kind: first } : { kind: 'nothing' }
  const page = STORE_PAGES.find((name) => PATHS[name] === rest.join('/'))
  return page ? { kind: 'store', store: first, page } : { kind: 'nothing' }
}

export const addressOf = (store: string, page: StorePage): string =>
  `/${store}/portal${PATHS[page] && `/${PATHS[page]}`}`

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
    event.preventDefault()
    go(link.pathname + link.search)
  })
}
