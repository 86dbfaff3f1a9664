import type { ComponentType } from 'preact'
import type { AdminTab, PageProps, StorePage } from './routes.ts'

export type PageModule = { Page: ComponentType<PageProps> }

/**
 * The modules of the pages, each loaded when somebody opens it.
 *
 * A new page is a folder in `pages/` with its `texts/`, its path in `routes.ts`, its name in the texts of the shell, a line here, and
 * a file in `test/browser/portal`. It shows what waits, what is empty, what failed and what is there, and asks by `call` alone.
 */
export const LOAD_STORE_PAGE: Readonly<Record<StorePage, () => Promise<PageModule>>> = {
  overview: () => import('../pages/overview/overview-page.tsx'),
  products: () => import('../pages/products/products-page.tsx'),
  import: () => import('../pages/import/import-page.tsx'),
  jobs: () => import('../pages/jobs/jobs-page.tsx'),
  feeds: () => import('../pages/feeds/feeds-page.tsx'),
  report: () => import('../pages/report/report-page.tsx'),
  playground: () => import('../pages/playground/playground-page.tsx'),
  merchandising: () => import('../pages/merchandising/merchandising-page.tsx'),
  start: () => import('../pages/start/start-page.tsx'),
  keys: () => import('../pages/keys/keys-page.tsx'),
  webhooks: () => import('../pages/webhooks/webhooks-page.tsx'),
  team: () => import('../pages/team/team-page.tsx'),
  plan: () => import('../pages/plan/plan-page.tsx'),
  settings: () => import('../pages/settings/settings-page.tsx'),
  analytics: () => import('../pages/analytics/analytics-page.tsx'),
  searches: () => import('../pages/analytics/searches/searches-page.tsx'),
  widget: () => import('../pages/widget/widget-page.tsx'),
}

/** Pages about no store. */
export const LOAD_LONE_PAGE = {
  login: () => import('../pages/sign-in/sign-in-page.tsx'),
  forgot: () => import('../pages/sign-in/forgot-page.tsx'),
  setup: () => import('../pages/setup/setup-page.tsx'),
  register: () => import('../pages/sign-in/register-page.tsx'),
  invite: () => import('../pages/mail-link/invite-page.tsx'),
  verify: () => import('../pages/mail-link/verify-page.tsx'),
  'verify-cancel': () => import('../pages/mail-link/cancel-page.tsx'),
  'verify-email': () => import('../pages/mail-link/email-page.tsx'),
  'verify-email-approve': () => import('../pages/mail-link/approve-page.tsx'),
  unsubscribe: () => import('../pages/mail-link/unsubscribe-page.tsx'),
  'new-password': () => import('../pages/mail-link/new-password-page.tsx'),
  account: () => import('../pages/account/account-page.tsx'),
  'select-store': () => import('../pages/select-store/select-store-page.tsx'),
} as const satisfies Record<string, () => Promise<PageModule>>

export type LonePageName = keyof typeof LOAD_LONE_PAGE

/** The operator's pages: a frame of their own, so that nobody takes them for a store. */
export const loadOperatorPages = (): Promise<{ Page: ComponentType<{ tab: AdminTab }> }> =>
  import('../pages/admin/admin-page.tsx')
