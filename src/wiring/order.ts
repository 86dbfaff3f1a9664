import type { Module } from '../features/module.ts'
import type { Install } from '../install.ts'
import type { SignInWing, wireOwnData } from './access.ts'
import type { wireArrivals } from './arrivals.ts'
import type { BillingWing } from './billing.ts'
import type { CatalogueWing } from './catalogue.ts'
import type { wireDepartures } from './departures.ts'
import type { DiscoveryWing } from './discovery.ts'
import type { OperationWing } from './operation.ts'
import type { StoreLifeWing, TeamsWing, wireNotices } from './stores.ts'

/** All that a service is built of. */
interface Wings {
  install: Install
  signIn: SignInWing
  ownData: ReturnType<typeof wireOwnData>
  teams: TeamsWing
  storeLife: StoreLifeWing
  billing: BillingWing
  catalogue: CatalogueWing
  discovery: DiscoveryWing
  notices: ReturnType<typeof wireNotices>
  operation: OperationWing
  /** Absent where no store can move. */
  departures: ReturnType<typeof wireDepartures>
  nodes: ReturnType<typeof wireArrivals>
}

/**
 * Lists all modules in the order of the API's document. `demo` and `exported` come before `products`, whose paths would
 * match theirs.
 */
export function listModules(wings: Wings): readonly Module<unknown>[] {
  const {
    install,
    signIn,
    ownData,
    teams,
    storeLife,
    billing,
    catalogue,
    discovery,
    notices,
    operation,
    departures,
    nodes,
  } = wings
  const { foundation, mail, stores, accounts, keys, delivery, payments } = install
  const modules: (Module<unknown> | undefined)[] = [
    signIn.signIn,
    accounts.registration,
    accounts.passwordReset,
    accounts.emailChange,
    accounts.sessions,
    signIn.me,
    ownData,
    accounts.reauthentication,
    accounts.twoFactor,
    keys.apiKeys,
    keys.widgetKeys,
    signIn.widgetPreview,
    signIn.clientSecret,
    signIn.recentRequests,
    keys.ipAllowlist,
    foundation.audit,
    signIn.overview,
    teams.ownStore,
    teams.opening,
    teams.team,
    teams.groups,
    stores.settings,
    storeLife.ownSettings,
    billing.usage,
    payments,
    billing.billingPages,
    mail,
    catalogue.productIndex,
    catalogue.duplicates,
    catalogue.demo,
    catalogue.exported,
    catalogue.report,
    catalogue.products,
    catalogue.modelMoves,
    catalogue.filters,
    catalogue.imports,
    catalogue.feeds,
    catalogue.jobs,
    discovery.search,
    discovery.rules,
    discovery.storeWords,
    discovery.together,
    discovery.searchChecks,
    discovery.replay,
    discovery.learning,
    discovery.feedback,
    discovery.analytics,
    discovery.searchLog,
    discovery.shopperSessions,
    discovery.widget,
    discovery.shopPages,
    discovery.weeklyMail,
    notices,
    delivery.changes,
    delivery.webhooks,
    operation.admin,
    operation.models,
    departures,
    nodes.trust,
    nodes.arrivals,
    install.backups,
    install.nodeMap,
    storeLife.stateWatch,
    storeLife.erasure,
    storeLife.arrivals,
    operation.health,
    operation.metrics,
    operation.diskGrowth,
    operation.docs,
    operation.portal,
    operation.widgetFiles,
  ]
  return modules.filter((module) => module !== undefined)
}
