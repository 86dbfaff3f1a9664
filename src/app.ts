import { type Config, listSettings } from './config.ts'
import { HOUR_MS } from './core/clock.ts'
import { isInside, parseCidrs } from './core/networks.ts'
import type { PlanName } from './core/plans.ts'
import { watchWork } from './core/watched-work.ts'
import { buildClientSecret } from './features/access/client-secret/module.ts'
import { buildMe } from './features/access/me/module.ts'
import { buildOverview } from './features/access/overview/module.ts'
import { buildOwnData } from './features/access/own-data/module.ts'
import { buildSignIn } from './features/access/sign-in/module.ts'
import { buildBillingPages } from './features/billing/pages/module.ts'
import { buildUsage } from './features/billing/usage/module.ts'
import { buildDemo } from './features/catalogue/demo/module.ts'
import { buildDuplicates } from './features/catalogue/duplicates/module.ts'
import { buildExports } from './features/catalogue/exports/module.ts'
import { buildFilters } from './features/catalogue/filters/module.ts'
import { buildImports } from './features/catalogue/imports/module.ts'
import { buildJobs, type JobsModule } from './features/catalogue/jobs/module.ts'
import { buildFeeds, type FeedsModule } from './features/catalogue/product-feeds/module.ts'
import { buildProductIndex } from './features/catalogue/product-index/module.ts'
import { buildProducts } from './features/catalogue/products/module.ts'
import { buildReembedding } from './features/catalogue/reembedding/module.ts'
import { buildAnalytics } from './features/discovery/analytics/module.ts'
import { buildFeedback } from './features/discovery/feedback/module.ts'
import { buildSearch } from './features/discovery/search/module.ts'
import { buildShopperSessions } from './features/discovery/sessions/module.ts'
import { buildWidget } from './features/discovery/widget/module.ts'
import type { Chore, Module } from './features/module.ts'
import { buildAdminNode } from './features/operation/admin-node/module.ts'
import { buildAdminPeople } from './features/operation/admin-people/module.ts'
import { buildAdminStores } from './features/operation/admin-stores/module.ts'
import { buildDocs } from './features/operation/docs/module.ts'
import { buildHealth } from './features/operation/health/module.ts'
import { buildWidgetFiles } from './features/operation/widget-files/module.ts'
import { buildErasure } from './features/stores/erasure/module.ts'
import { buildGroups } from './features/stores/groups/module.ts'
import { buildOpening } from './features/stores/opening/module.ts'
import { buildOwnStore } from './features/stores/own-store/module.ts'
import { buildOwnSettings } from './features/stores/settings/module.ts'
import { buildStateWatch } from './features/stores/stores/module.ts'
import { buildTeam } from './features/stores/team/module.ts'
import { createRequestBudget } from './http/budgets/request-budget.ts'
import { createWidgetBudget } from './http/budgets/widget-budget.ts'
import { createClientAddress } from './http/client-address.ts'
import { createDoors } from './http/doors.ts'
import { createIdempotency } from './http/idempotency.ts'
import { createIntake } from './http/intake.ts'
import { createSpool } from './http/spool.ts'
import { createTraceReader } from './http/trace.ts'
import { createInstall } from './install.ts'
import { createIdempotencyKeys } from './platform/db/idempotency.ts'
import { registerModel } from './platform/db/models.ts'
import { probeWrite } from './platform/db/probe.ts'
import { createWriteBehind } from './platform/db/write-behind.ts'
import { createWriteGroups } from './platform/db/write-groups.ts'
import { createStorageWatch } from './platform/storage-watch.ts'
import type { Ports } from './ports.ts'
import { createServer } from './server.ts'

export type App = ReturnType<typeof createApp>

/**
 * Builds the whole program and starts none of it. Read top to bottom: the modules in order of dependency, their routes,
 * their chores.
 *
 * @param baseUrl the public address, which may be known only once it listens.
 */
export function createApp(config: Config, baseUrl: () => string, ports: Ports) {
  const { embedder, budget, fetcher, files } = ports
  const storage = createStorageWatch({
    clock: ports.clock,
    log: ports.log,
    writeRow: () => probeWrite(ports.db, ports.clock.now()),
    writeFile: files.probe,
    findDamage: ports.findDamage,
  })
  const install = createInstall(config, baseUrl, ports, storage.note)
  const { base, reads, passwords, inTurn } = install
  const {
    audit,
    mail,
    sessions,
    registration,
    passwordReset,
    emailChange,
    reauthentication,
    twoFactor,
    widgetKeys,
  } = install.modules
  const { apiKeys, ipAllowlist, settings, changes, webhooks, payments } = install.modules
  const { db, clock, ids, log, plans, noteFault } = base
  const { storeRows, stores, people } = install.services
  const intake = createIntake(budget, embedder, { monotonic: clock.monotonic })
  const trusted = parseCidrs(config.TRUSTED_PROXIES)
  const findAddress = createClientAddress({
    isTrusted: (address) => isInside(address, trusted),
    // Bun does not know the peer of a connection that has been reset; such a client must not pass for this machine.
    findPeer: (request) => (http.server ? (http.server.requestIP(request)?.address ?? 'unknown') : undefined),
  })
  const signIn = buildSignIn(base, {
    storeRows,
    people,
    reads,
    sessions: sessions.service,
    twoFactor: twoFactor.check,
    apiKeys: apiKeys.check,
    admitAddress: ipAllowlist.service.admit,
    findPendingPassword: registration.service.findPendingPassword,
    passwords,
    inTurn,
    tokenSecret: ports.tokenSecret,
    tokenLifetimeSeconds: config.TOKEN_LIFETIME_S,
    findAddress,
  })
  const billingPages = buildBillingPages(base, {
    payments: payments.service,
    sessions: sessions.service.sessions,
    signIn: signIn.service.signIn,
    tokens: signIn.service.tokens,
  })
  const me = buildMe(base, {
    people,
    sessions: sessions.service.sessions,
    passwords,
    reauthenticateByPassword: reauthentication.service.reauthenticateByPassword,
    isTwoFactorEnabled: twoFactor.service.isEnabled,
    forgetLinks(userId) {
      passwordReset.service.forgetLinks(userId)
      emailChange.service.forget(userId)
    },
  })
  const clientSecret = buildClientSecret(base, {
    storeRows,
    stores,
    clientFailures: signIn.service.clientFailures,
    tellOwners: install.tellOwners,
  })
  const overview = buildOverview(base, {
    twoFactor: twoFactor.service,
    apiKeys: apiKeys.service,
    widgetKeys: widgetKeys.service,
    ipAllowlist: ipAllowlist.service,
    webhooks: webhooks.service,
  })
  const groups = buildGroups(base)
  const team = buildTeam(base, {
    storeRows,
    people,
    passwords,
    groups: groups.service,
    outbox: mail.service,
    requestPassword: (email, trace) => passwordReset.service.forgot({ email }, trace),
    createPasswordLink: passwordReset.service.createLink,
  })
  const ownStore = buildOwnStore(base, {
    storeRows,
    stores,
    people,
    reauthenticate: reauthentication.service.reauthenticate,
  })
  const opening = buildOpening(base, {
    storeRows,
    stores,
    people,
    invites: team.service.invites,
    readRegistrationMode: install.readRegistrationMode,
    storesPerPerson: config.STORES_PER_PERSON,
    plan: config.DEFAULT_PLAN as PlanName,
  })
  const usage = buildUsage(base, {
    mailOwners: install.mailOwners,
    publish: webhooks.service.publish,
    findRenewal: payments.service.findRenewal,
  })
  const requests = createRequestBudget({ plans, clock, noteCall: usage.service.noteCall })
  const widgetBudget = createWidgetBudget(clock, plans)
  const idempotency = createIdempotency(
    {
      stores: createIdempotencyKeys(db, install.secretBox),
      people: createIdempotencyKeys(db, install.secretBox, 'person'),
    },
    clock,
  )
  const doors = createDoors({
    ...signIn.service,
    clock,
    readTrace: createTraceReader(findAddress),
    spendRequest: requests.spend,
    spendEvents: requests.spendEvents,
    nameOwner: intake.intake.nameOwner,
    admitWidget: widgetKeys.service.admit,
    widgetBudget,
    findAddress,
    idempotency,
    readSuspension({ id }) {
      const state = storeRows.findState(id)
      return { reason: state?.suspendedReason ?? null, deleteAt: state?.deleteAt ?? null }
    },
  })
  const model = registerModel(db, embedder.model, clock.now())
  const productIndex = buildProductIndex(base, {
    model,
    dimension: embedder.model.dimension,
    memoryBytesMax: ports.vectorMemoryBytesMax,
    stop: ports.stop,
  })
  const index = productIndex.service
  const duplicates = buildDuplicates(base, {
    index,
    embedder,
    readThreshold: (storeId) => settings.service.read(storeId).duplicate_threshold,
    isAskedFor: (storeId) => webhooks.service.isAskedFor(storeId, 'product.duplicate_detected'),
  })
  const writeTogether = createWriteGroups(db, clock)
  const products = buildProducts(base, {
    stores: storeRows,
    model,
    index,
    embedder,
    fetcher,
    files,
    budget,
    writeTogether,
    duplicates: duplicates.service,
    noteGrowth: usage.service.noteGrowth,
    emit: changes.service.emit,
    // A circle: jobs write products, and what clients write takes precedence over what jobs still have to write.
    waiting: {
      latest: () => jobs.service.waiting.latest(),
      drop: (storeId, productId, upTo) => jobs.service.waiting.drop(storeId, productId, upTo),
    },
  })
  const spool = createSpool({ files: ports.bodyFiles, monotonic: clock.monotonic, ids })
  const jobs: JobsModule = buildJobs(base, {
    stores: storeRows,
    embedder,
    products: products.service,
    spool,
    files: ports.jobFiles,
    callbacks: {
      check: webhooks.service.checkCallbackUrl,
      send: webhooks.service.sendCallback,
      find: webhooks.service.findCallback,
    },
    onFinished(storeId, job) {
      if (job.status === 'completed' || job.status === 'failed')
        webhooks.service.publish(storeId, `job.${job.status}`, { ...job })
      // Its run goes on at once, and not only with the next look.
      if (job.type === 'feed') base.defer(feeds.service.wake, 0)
    },
    // A circle: feeds start jobs, and learn which products these make.
    onBroughtByFeed: (jobId, productId) => feeds.service.noteBrought(jobId, productId),
  })
  const imports = buildImports(base, {
    spool,
    embedder,
    files: ports.bodyFiles,
    products: products.service,
    jobs: jobs.service,
    findMapping: (storeId) => settings.service.read(storeId).feed_mapping,
    findFacts: settings.service.read,
  })
  const feeds: FeedsModule = buildFeeds(base, {
    stores: storeRows,
    stop: ports.stop,
    downloads: ports.downloads,
    products: products.service,
    imports: imports.service,
    jobs: jobs.service,
    secretBox: install.secretBox,
    spend: requests.spendFor,
  })
  const exported = buildExports(base, {
    stop: ports.stop,
    products: products.service,
    model: embedder.model,
    vectors: model.vectors,
  })
  const reembedding = buildReembedding(base, {
    stores: storeRows,
    model,
    embedder,
    products: products.service,
  })
  const filters = buildFilters(base, { reads, products: products.service })
  const ownSettings = buildOwnSettings(base, {
    settings: settings.service,
    findCallbackSecretHint: webhooks.service.readCallbackSecretHint,
    findAbsentKeys: filters.service.findAbsentKeys,
  })
  const demo = buildDemo(base, { readPicture: ports.readDemoPicture, products: products.service })
  const searchWrites = createWriteBehind({ ...base, name: 'searches and feedback' })
  const analytics = buildAnalytics(base, {
    model,
    embedder,
    findFillFacts: settings.service.findFillFacts,
    flush: searchWrites.flush,
    historyDays: config.SEARCH_HISTORY_DAYS,
  })
  const search = buildSearch(base, {
    model,
    index,
    embedder,
    filters: filters.service,
    countWaiting: reembedding.service.countWaiting,
    pictures: products.service.pictures,
    readDefaults: (storeId) => settings.service.read(storeId).search_defaults,
    findFillFacts: settings.service.findFillFacts,
    writes: searchWrites,
    replaceKeystroke: analytics.service.replaceKeystroke,
    recordSearch: analytics.service.recordSearch,
    listPopular: analytics.service.listPopular,
    historyDays: config.SEARCH_HISTORY_DAYS,
  })
  const ownData = buildOwnData(base, {
    people,
    reauthenticate: reauthentication.service.reauthenticate,
    outbox: mail.service,
    endSessions: (userId) => sessions.service.sessions.endSessions(userId, null),
    forgetAddress(email) {
      registration.service.forgetAddress(email)
      sessions.service.forgiveFailures(email)
      team.service.forgetAddress(email)
    },
    forgetEmailInLog: audit.service.forgetEmail,
    flush: search.service.history.flush,
    stop: ports.stop,
  })
  const feedback = buildFeedback(base, {
    history: search.service.history,
    noteFeedback: analytics.service.noteFeedback,
    countEvent: analytics.service.countEvent,
    takeBack: analytics.service.takeBack,
    hidesPrices: (storeId) =>
      settings.service.read(storeId).private_metadata.some((key) => /^(metadata\.)?(sale_)?price$/.test(key)),
    writeTogether,
    days: config.SEARCH_HISTORY_DAYS,
  })
  const shopperSessions = buildShopperSessions(base, {
    history: search.service.history,
    searches: search.service.ofSession,
    feedback: feedback.service.ofSession,
    analytics: analytics.service.erasing,
  })
  const widget = buildWidget({
    search: search.service,
    listPrivateKeys: (storeId) => settings.service.read(storeId).private_metadata,
    recordFeedback: feedback.service.record,
    listPopular: analytics.service.listPopular,
    clock,
  })
  const health = buildHealth(base, {
    embedder,
    storage,
    hasWholeIndex: index.isWhole,
    readFreeDiskShare: ports.readFreeDiskShare,
  })
  const adminStores = buildAdminStores(base, { people, stores })
  const adminPeople = buildAdminPeople(base, {
    operator: install.services.operator,
    resetTwoFactor: twoFactor.service.reset,
    failures: sessions.service.failures,
  })
  const adminNode = buildAdminNode(base, {
    outbox: mail.service,
    health: health.service,
    listAudit: audit.service.listForOperator,
    readFreeDiskShare: ports.readFreeDiskShare,
    settings: [...(ports.settings ?? listSettings(config))],
  })
  const stateWatch = buildStateWatch({
    listSuspendedIds: storeRows.listSuspendedIds,
    endStreams(storeId) {
      jobs.service.endStreams(storeId)
      exported.forgetStore(storeId)
    },
    endStreamsOfTheGone: jobs.service.endStreamsOfTheGone,
    goOn: webhooks.service.poll,
  })
  const erasure = buildErasure(base, {
    storeRows,
    forgetStore,
    dropJobs: jobs.service.dropAll,
    endSubscriptions: payments.service.endSubscriptions,
    stop: ports.stop,
  })
  const docs = buildDocs({ hasStore: storeRows.hasStore, listRoutes: () => http.routes })
  const widgetFiles = buildWidgetFiles(base)

  /** In the order of the API's document. `demo` and `exported` come before `products`, whose paths would match theirs. */
  const modules: readonly Module<unknown>[] = [
    signIn,
    registration,
    passwordReset,
    emailChange,
    sessions,
    me,
    ownData,
    reauthentication,
    twoFactor,
    apiKeys,
    widgetKeys,
    clientSecret,
    ipAllowlist,
    audit,
    overview,
    ownStore,
    opening,
    team,
    groups,
    settings,
    ownSettings,
    usage,
    payments,
    billingPages,
    mail,
    productIndex,
    duplicates,
    demo,
    exported,
    products,
    reembedding,
    filters,
    imports,
    feeds,
    jobs,
    search,
    feedback,
    analytics,
    shopperSessions,
    widget,
    changes,
    webhooks,
    adminStores,
    adminPeople,
    adminNode,
    stateWatch,
    erasure,
    health,
    docs,
    widgetFiles,
  ]

  const http = createServer({
    modules,
    doors,
    intake,
    clock,
    ids,
    log,
    baseUrl,
    noteFault,
    liveness: health.livenessRoutes(),
  })

  const chores: Chore[] = [
    ...modules.flatMap((module) => module.chores ?? []),
    { name: 'deleting old idempotency keys', everyMs: HOUR_MS, run: idempotency.prune },
    { name: 'deleting old counts of events', everyMs: HOUR_MS, run: install.pruneThrottles },
  ]

  /** Drops everything that memory holds about a store, so that the next request reads it again. */
  function forgetStore(storeId: string): void {
    requests.forgetStore(storeId)
    widgetBudget.forgetStore(storeId)
    for (const module of modules) module.forgetStore?.(storeId)
  }

  return {
    http,
    services: {
      ...install.services,
      demo: demo.service,
      productIndex: index,
      products: products.service,
      filters: filters.service,
      jobs: jobs.service,
      reembedding: reembedding.service,
      feeds: feeds.service,
      search: search.service,
      history: search.service.history,
    },
    chores: watchWork(chores, noteFault),
    loadIndex(): number {
      for (const _ of products.service.foldOld());
      return index.load()
    },
    *loadingIndex(): Generator<void, number> {
      yield* products.service.foldOld()
      return yield* index.loadInSteps()
    },
    /** Whether the last loading of the index read everything. */
    hasWholeIndex: index.isWhole,
    forgetStore,
    signToken: signIn.service.tokens.sign,
    flushAudit: signIn.service.flush,
    storage,
    base,
    passwords,
  }
}
