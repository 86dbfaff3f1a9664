import { rm } from 'node:fs/promises'
import { resolve } from 'node:path'
import type { Logger } from 'pino'
import type { Config } from '../../config.ts'
import { systemClock } from '../../core/clock.ts'
import { systemIds } from '../../core/ids.ts'
import { parseCidrs } from '../../core/networks.ts'
import { OperatorError, wrongSettings } from '../../core/operator-error.ts'
import type { CopyWorld } from '../../features/operation/backups/copies.ts'
import type { BackupWorld } from '../../features/operation/backups/service.ts'
import type { InstallPorts } from '../../install.ts'
import { createBackupMaker } from '../../platform/backup/apart.ts'
import { sendApart } from '../../platform/backup/copies/apart.ts'
import { ensureInstallId, findRecipient } from '../../platform/backup/copies/key-files.ts'
import { isBucketAddress } from '../../platform/backup/copies/target.ts'
import { isThere } from '../../platform/backup/make.ts'
import { tryLockBackups } from '../../platform/db/instance-lock.ts'
import { createEmbedder } from '../../platform/embedder/child-embedder.ts'
import type { Embedder } from '../../platform/embedder/embedder.ts'
import { createMailer, type Mailer } from '../../platform/mail/mailer.ts'
import type { ModelFolder } from '../../platform/models/model-set.ts'
import { bundledModelDir, bundledModelHash } from '../../platform/native/model-folder.ts'
import { ownCommand, ownEnvironment } from '../../platform/native/own-command.ts'
import { createEgress, type Egress } from '../../platform/outbound/egress.ts'
import type { PaymentGateway } from '../../platform/payments/gateway.ts'
import { createStripeGateway } from '../../platform/payments/stripe.ts'
import { loadDataSecret } from './data-secrets.ts'

interface InstallParts extends Pick<InstallPorts, 'db' | 'log' | 'defer' | 'poster'> {
  dataDir: string
  /** For mails. */
  egress: Egress
  /** Aborts the sending of mails. */
  stop?: AbortSignal
}

/** Opens the parts of the world that an install needs. @throws OperatorError */
export const openInstallPorts = (
  config: Config,
  { db, dataDir, log, defer, poster, egress, stop }: InstallParts,
): InstallPorts => ({
  db,
  clock: systemClock,
  ids: systemIds,
  log,
  mailer: createConfiguredMailer(config, egress, stop),
  poster,
  dataSecret: loadDataSecret(db, dataDir, systemIds),
  defer,
  stop,
  backups: openBackups(config, dataDir),
})

const openBackups = (config: Config, dataDir: string): BackupWorld => ({
  make: createBackupMaker(ownCommand('backup-process'), ownEnvironment()),
  dataDir,
  isIdle() {
    const unlock = tryLockBackups(dataDir)
    unlock?.()
    return unlock !== undefined
  },
  isThere,
  remove: (path) => rm(path, { force: true }),
  copies: openCopies(config, dataDir),
})

function openCopies(config: Config, dataDir: string): CopyWorld | undefined {
  const { BACKUP_TO, BACKUP_TO_KEEP: keep } = config
  if (BACKUP_TO === '') return undefined
  const address = isBucketAddress(BACKUP_TO) ? BACKUP_TO : resolve(BACKUP_TO)
  const { OFFLINE, FETCH_ALLOW_CIDRS, S3_ENDPOINT, S3_REGION, S3_ACCESS_KEY_ID, S3_SECRET_ACCESS_KEY } =
    config
  const settings = {
    ...{ OFFLINE, FETCH_ALLOW_CIDRS, S3_ENDPOINT, S3_REGION, S3_ACCESS_KEY_ID, S3_SECRET_ACCESS_KEY },
  }
  return {
    address,
    keep,
    hasKey: () => findRecipient(dataDir) !== undefined,
    async send(file, tell, stop) {
      const recipient = findRecipient(dataDir)
      if (recipient === undefined) throw new OperatorError('There is no key for copies')
      const task = {
        address,
        installId: ensureInstallId(dataDir),
        settings,
        order: { ...file, recipient, keep },
      }
      return sendApart(ownCommand('copy-process'), ownEnvironment(), task, tell, stop)
    },
  }
}

/** The ways to other servers. */
interface Egresses {
  /** For pictures, feeds and mails. */
  main: Egress
  /** For webhooks and callbacks, whose messages must not be read on the way. */
  webhooks: Egress
}

/** @throws OperatorError for networks that are malformed. */
export const openEgresses = (config: Config): Egresses => ({
  main: createEgress({
    allowCidrs: parseNetworks(config, 'FETCH_ALLOW_CIDRS'),
    setting: 'FETCH_ALLOW_CIDRS',
    isOffline: config.OFFLINE,
    clock: systemClock,
  }),
  webhooks: createEgress({
    allowCidrs: parseNetworks(config, 'WEBHOOK_ALLOW_CIDRS'),
    setting: 'WEBHOOK_ALLOW_CIDRS',
    isOffline: config.OFFLINE,
    isTlsRequired: true,
    clock: systemClock,
  }),
})

function createConfiguredMailer(
  { SMTP_URL: smtpUrl, MAIL_FROM: from }: Config,
  egress: Egress,
  stop: AbortSignal | undefined,
): Mailer {
  try {
    return createMailer({ smtpUrl, from, egress, stop })
  } catch (error) {
    throw wrongSettings([`SMTP_URL ${(error as Error).message}`])
  }
}

/** @returns undefined where the operator takes the payments. */
export async function openPaymentGateway(
  config: Config,
  { egress, log, stop }: { egress: Egress; log: Logger; stop: AbortSignal },
): Promise<PaymentGateway | undefined> {
  if (config.STRIPE_SECRET_KEY === '') return undefined
  return createStripeGateway({
    egress,
    log,
    stop,
    secretKey: config.STRIPE_SECRET_KEY,
    webhookSecret: config.STRIPE_WEBHOOK_SECRET,
    apiBase: config.STRIPE_API_BASE,
  })
}

/** Starts the processes of a model. @throws Error for a folder that cannot be read. */
export const openModel = (
  { INFERENCE_THREADS }: Pick<Config, 'INFERENCE_THREADS'>,
  log: Logger,
  { name, dir, hash }: Partial<ModelFolder> & Pick<ModelFolder, 'dir'>,
): Embedder =>
  createEmbedder({
    modelDir: dir,
    modelHash: hash,
    ...(name !== undefined && { modelId: name }),
    command: ownCommand('embedder-process'),
    env: ownEnvironment(),
    inferenceThreads: INFERENCE_THREADS,
    log,
  })

/** @throws OperatorError if the folder holds no model. */
export function createConfiguredEmbedder(config: Config, log: Logger): Embedder {
  const modelDir = config.MODEL_DIR || bundledModelDir()
  const hash = config.MODEL_DIR ? undefined : bundledModelHash()
  try {
    return openModel(config, log, { dir: modelDir, hash })
  } catch (error) {
    throw new OperatorError(
      `Cannot use the model in ${modelDir}: ${error instanceof Error ? error.message : error}`,
    )
  }
}

export function parseNetworks(
  config: Config,
  name: 'FETCH_ALLOW_CIDRS' | 'WEBHOOK_ALLOW_CIDRS' | 'TRUSTED_PROXIES',
) {
  try {
    return parseCidrs(config[name])
  } catch (error) {
    throw wrongSettings([`${name}: ${(error as Error).message}`])
  }
}
