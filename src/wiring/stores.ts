import type { Config } from '../config.ts'
import type { OutboxService } from '../features/mail/outbox/service.ts'
import { buildErasure } from '../features/stores/erasure/module.ts'
import { buildGroups } from '../features/stores/groups/module.ts'
import { buildNotices } from '../features/stores/notices/module.ts'
import { buildOpening, buildSetup } from '../features/stores/opening/module.ts'
import { buildOwnStore } from '../features/stores/own-store/module.ts'
import { buildPeople } from '../features/stores/people/module.ts'
import { buildOwnSettings, buildSettings } from '../features/stores/settings/module.ts'
import type { SigningSecrets } from '../features/stores/store-files/export.ts'
import { buildArrivals, buildAwaited, buildStoreFiles } from '../features/stores/store-files/module.ts'
import { buildStateWatch, buildStores } from '../features/stores/stores/module.ts'
import { buildInvitations, buildTeam } from '../features/stores/team/module.ts'
import type { Install } from '../install.ts'
import type { Ports } from '../ports.ts'
import type { SignInWing } from './access.ts'
import type { BillingWing } from './billing.ts'
import type { CatalogueWing } from './catalogue.ts'
import type { DiscoveryWing } from './discovery.ts'
import type { Foundation } from './foundation.ts'

export type StoresWing = ReturnType<typeof wireStores>

/** Builds stores, people and the settings of stores, which all other wings read. */
export function wireStores({ base, passwords }: Foundation, outbox: OutboxService) {
  const { rows: people, service: owners } = buildPeople(base, { outbox })
  const { mailOwners, tellOwners } = owners
  const { rows: storeRows, service: stores } = buildStores(base, { people, mailOwners })
  const setup = buildSetup(base, {
    storeRows,
    stores,
    people,
    hashPassword: passwords.hash,
    verifyPassword: passwords.verify,
  })
  return {
    /** The rows of stores, to be read. */
    storeRows,
    /** The verbs for a store as a whole. */
    stores,
    people,
    mailOwners,
    tellOwners,
    setup: setup.service.setup,
    setupCodes: setup.service.codes,
    settings: buildSettings(base),
    invitations: buildInvitations(base, { people, outbox }),
    awaited: buildAwaited(base),
  }
}

/** Builds the file of a store, which commands write and read. */
export const wireStoreFiles = (
  { base, secretBox }: Foundation,
  { storeRows, people, invitations, settings }: StoresWing,
  signing: SigningSecrets,
) =>
  buildStoreFiles(base, {
    ...{ storeRows, people, signing, secretBox },
    invites: invitations.service,
    settings: settings.service,
  })

export type TeamsWing = ReturnType<typeof wireTeams>

/** Builds the verbs of a store's people: to open a store, to share it, to give it up. */
export function wireTeams(
  {
    foundation: { base, passwords },
    mail,
    stores: { storeRows, stores, people, setup, setupCodes, invitations },
    accounts,
  }: Install,
  config: Pick<Config, 'STORES_PER_PERSON' | 'DEFAULT_PLAN'>,
  { signIn }: SignInWing,
) {
  const { portal, portalDoor } = signIn.service
  const groups = buildGroups(base)
  const team = buildTeam(base, {
    storeRows,
    people,
    passwords,
    groups: groups.service,
    outbox: mail.service,
    invitations,
    requestPassword: (email, clientInfo) => accounts.passwordReset.service.forgot({ email }, clientInfo),
    createPasswordLink: accounts.passwordReset.service.createLink,
    portal,
    portalDoor,
  })
  const ownStore = buildOwnStore({
    storeRows,
    stores,
    people,
    reauthenticate: accounts.reauthentication.service.reauthenticate,
  })
  const opening = buildOpening(base, {
    storeRows,
    stores,
    people,
    invites: invitations.service,
    readRegistrationMode: accounts.readRegistrationMode,
    storesPerPerson: config.STORES_PER_PERSON,
    plan: config.DEFAULT_PLAN,
    setup,
    codes: setupCodes,
    portal,
    portalDoor,
  })
  return { groups, team, ownStore, opening }
}

/** Builds what tells a store what to do next, from all that is counted of it. */
export const wireNotices = (
  { foundation: { base }, stores: { storeRows, settings }, accounts, keys }: Install,
  { usage }: BillingWing,
  { filters, modelMoves }: CatalogueWing,
  { analytics, searchLog, writes }: DiscoveryWing,
) =>
  buildNotices(base, {
    moves: modelMoves.service,
    storeRows,
    settings: settings.service,
    readFields: filters.service.readFields,
    findFields: filters.service.findFields,
    readHealth: analytics.service.readHealth,
    readUnmet: (storeId) => analytics.service.readUnmet(storeId, { limit: 1 }),
    listSearches: searchLog.service.list,
    usage: usage.service,
    twoFactor: accounts.twoFactor.service,
    apiKeys: keys.apiKeys.service,
    flush: writes.flushStore,
  })

export type StoreLifeWing = ReturnType<typeof wireStoreLife>

/**
 * Builds what acts on everything that a store has: the settings that name its products' keys, its suspension, its deletion.
 *
 * @param dropStore drops what memory holds about a store that is gone.
 */
export function wireStoreLife(
  {
    foundation: { base },
    stores: { storeRows, settings },
    delivery: { webhooks },
    payments,
    storeFiles,
  }: Install,
  { stop }: Pick<Ports, 'stop'>,
  { jobs, exported, filters, productIndex }: CatalogueWing,
  { learning }: Pick<DiscoveryWing, 'learning'>,
  dropStore: (storeId: string) => void,
) {
  const ownSettings = buildOwnSettings(base, {
    settings: settings.service,
    learning: {
      demand: learning.service.demand,
      begin: (storeId) => base.defer(() => learning.service.learn(storeId), 0),
    },
    findCallbackSecretHint: webhooks.service.readCallbackSecretHint,
    findAbsentKeys: filters.service.findAbsentKeys,
  })
  const stateWatch = buildStateWatch({
    listSuspendedIds: storeRows.listSuspendedIds,
    endStreams(storeId) {
      jobs.service.endStreams(storeId)
      exported.service.endStreams(storeId)
    },
    endStreamsOfTheGone: jobs.service.endStreamsOfTheGone,
    goOn: webhooks.service.poll,
  })
  const erasure = buildErasure(base, {
    storeRows,
    dropStore,
    dropJobs: jobs.service.dropAll,
    endSubscriptions: payments.service.endSubscriptions,
    stop,
  })
  const arrivals = buildArrivals(base, storeFiles, { loadIndex: productIndex.service.readStoreInTurns })
  return { ownSettings, stateWatch, erasure, arrivals }
}
