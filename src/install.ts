import type { Logger } from 'pino'
import type { Config } from './config.ts'
import type { Clock } from './core/clock.ts'
import type { Ids } from './core/ids.ts'
import { buildOperatorTokens } from './features/access/sign-in/module.ts'
import { buildPayments } from './features/billing/payments/module.ts'
import { buildMail } from './features/mail/outbox/module.ts'
import type { Base } from './features/module.ts'
import type { BackupWorld } from './features/operation/backups/service.ts'
import { buildModelState } from './features/operation/models/module.ts'
import type { Acknowledgement } from './http/acknowledge.ts'
import type { Db } from './platform/db/open.ts'
import type { Mailer } from './platform/mail/mailer.ts'
import type { Poster } from './platform/outbound/poster.ts'
import type { PasswordCost } from './platform/passwords.ts'
import type { PaymentGateway } from './platform/payments/gateway.ts'
import { wireAccounts, wireKeys } from './wiring/access.ts'
import { wireBackups } from './wiring/backups.ts'
import { wireDelivery } from './wiring/delivery.ts'
import { wireFoundation } from './wiring/foundation.ts'
import { wireNodeMap } from './wiring/nodes.ts'
import { wireStoreFiles, wireStores } from './wiring/stores.ts'

/** The parts of the world that stores, people and keys need. */
export interface InstallPorts {
  db: Db
  clock: Clock
  ids: Ids
  log: Logger
  mailer: Mailer
  /** Sends webhooks. */
  poster: Poster
  /** Takes the money for plans; without one the operator does. */
  paymentGateway?: PaymentGateway | undefined
  /** Encrypts what must be readable again; kept outside the database. */
  dataSecret: string
  defer: Base['defer']
  /** Makes backups, and finds their files. */
  backups: BackupWorld
  /** Aborts when the program ends. */
  stop?: AbortSignal | undefined
  /** Where the node is copied: whether the answers to writes may be given. */
  acknowledgement?: Acknowledgement | undefined
  /** The cost of hashing a password; the strong default outside tests. */
  passwordCost?: PasswordCost | undefined
}

export type Install = ReturnType<typeof createInstall>

/**
 * Builds stores, people and their keys: what the command line needs of an install, whether a service runs or not.
 *
 * @param baseUrl the public address, which may be known only once the service listens.
 * @param reportFault learns of errors that no answer tells of.
 */
export function createInstall(
  config: Pick<
    Config,
    'REGISTRATION' | 'DEFAULT_PLAN' | 'plans' | 'BACKUP_DIR' | 'BACKUP_EVERY_H' | 'BACKUP_KEEP'
  >,
  baseUrl: () => string,
  ports: InstallPorts,
  reportFault: Base['reportFault'],
) {
  const foundation = wireFoundation(config, baseUrl, ports, reportFault)
  const { base, secretBox } = foundation
  const mail = buildMail(base, { mailer: ports.mailer, secretBox })
  const outbox = mail.service
  const stores = wireStores(foundation, outbox)
  const { storeRows, people, mailOwners } = stores
  const keys = wireKeys(foundation, stores)
  const accounts = wireAccounts(config, foundation, outbox, stores, keys)
  const delivery = wireDelivery(foundation, ports.poster, stores)
  const storeFiles = wireStoreFiles(foundation, stores, delivery.webhooks.service.secrets)
  const payments = buildPayments(base, {
    storeRows,
    stores: stores.stores,
    people,
    mailOwners,
    secretBox,
    outbox,
    gateway: ports.paymentGateway,
  })

  const nodeMap = wireNodeMap(foundation)
  const backups = wireBackups(config, foundation, ports, stores, delivery, outbox)

  return {
    foundation,
    mail,
    stores,
    keys,
    accounts,
    delivery,
    payments,
    backups,
    nodeMap,
    storeFiles,
    /** The verbs that commands use. */
    services: {
      /** The rows of stores, to be read. */
      storeRows,
      stores: stores.stores,
      /** Stores in files. */
      storeFiles: storeFiles.service,
      setup: stores.setup,
      setupCodes: stores.setupCodes,
      people,
      /** The operator's verbs for accounts of people. */
      accounts: accounts.operator,
      outbox,
      twoFactor: accounts.twoFactor.service,
      /** The keys of any store, of every kind. */
      keys: keys.apiKeys.ofEveryStore,
      apiKeys: keys.apiKeys.service,
      widgetKeys: keys.widgetKeys.service,
      /** Tokens for commands that are clients of the service. */
      commandTokens: buildOperatorTokens(base, { storeRows }),
      ipAllowlist: keys.ipAllowlist.service,
      webhooks: delivery.webhooks.service,
      billing: payments.service.desk,
      backups: backups.service,
      /** Who lives where. */
      nodeMap: nodeMap.service,
      /** Which model is in use, and how a move stands. */
      readModels: buildModelState(base).readState,
      endSubscriptions: payments.service.endSubscriptions,
    },
  }
}
