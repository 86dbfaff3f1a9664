import type { OwnerState } from '../../../commands/standby/role.ts'
import { StorageProblem } from '../../../core/storage.ts'
import type { Embedder, ModelFingerprint } from '../../../platform/embedder/embedder.ts'

export interface HealthDeps {
  version: string
  schemaVersion: number
  embedder: Pick<Embedder, 'model' | 'status'>
  /** @throws StorageProblem with words for people, if the database cannot be written or is damaged. */
  probeDatabase(): void
  /** @throws StorageProblem with words for people, while the files of pictures cannot be written. */
  probeFiles?(): Promise<void>
  /** Asks the vector extension for its version. Throws if it is missing. */
  probeVectors(): void
  /** Reads the free share of the data folder's disk, 0 to 1. */
  readFreeDiskShare(): Promise<number>
  /** What is wrong with the backups, in one sentence. */
  findBackupWarning?(): string | undefined
  /** How the copies of the database stand, where it is copied. */
  readCopies?: (() => OwnerState) | undefined
}

interface Check {
  ok: boolean
  reason?: string
  /** What the operator should see to, although the service is ready. */
  warning?: string
}

/** With a smaller share of free disk, the service is not ready. */
const FREE_DISK_MIN = 0.05

export type HealthService = ReturnType<typeof healthService>

export function healthService(deps: HealthDeps) {
  const checkModel = (): Check => {
    const status = deps.embedder.status()
    if (status.state === 'ready') return { ok: true }
    return { ok: false, reason: status.state === 'failed' ? status.reason : 'the model is starting' }
  }

  return {
    /** Checks everything that a request may need. */
    async checkReadiness() {
      const checks = {
        database: attempt(deps.probeDatabase, 'the database cannot be written'),
        vectors: attempt(deps.probeVectors, 'the vector extension does not answer'),
        model: checkModel(),
        disk: await checkDisk(deps),
        backup: checkBackup(deps),
        ...(deps.readCopies && { copies: checkCopies(deps.readCopies()) }),
      }
      const isReady = Object.values(checks).every(({ ok }) => ok)
      return { status: isReady ? ('ready' as const) : ('not_ready' as const), checks }
    },

    readVersion: (): { version: string; api: string[]; schema: number; model: ModelFingerprint } => ({
      version: deps.version,
      api: ['v1'],
      schema: deps.schemaVersion,
      model: deps.embedder.model,
    }),
  }
}

function attempt(probe: () => void, reason: string): Check {
  try {
    probe()
    return { ok: true }
  } catch (error) {
    return { ok: false, reason: explain(error) ?? reason }
  }
}

const explain = (error: unknown): string | undefined =>
  error instanceof StorageProblem ? error.message : undefined

/** No request needs a backup, so this check never fails. */
function checkBackup({ findBackupWarning }: HealthDeps): Check {
  try {
    const warning = findBackupWarning?.()
    return warning === undefined ? { ok: true } : { ok: true, warning }
  } catch {
    // The check of the database tells why.
    return { ok: true, warning: 'the list of backups cannot be read' }
  }
}

/** Searches go on without copies, so this check never fails; writes are refused until they work again. */
function checkCopies({ epoch, lagMs, fault, mayAcknowledge }: OwnerState) {
  const lag_seconds = Number.isFinite(lagMs) ? Math.round(lagMs / 100) / 10 : null
  const reason = fault === undefined ? '' : `: ${fault.slice(0, 300)}`
  const warning = mayAcknowledge ? undefined : `writes are refused until the copies work again${reason}`
  return { ok: true, epoch, lag_seconds, ...(warning !== undefined && { warning }) }
}

async function checkDisk({ probeFiles, readFreeDiskShare }: HealthDeps): Promise<Check> {
  try {
    await probeFiles?.()
    return (await readFreeDiskShare()) >= FREE_DISK_MIN
      ? { ok: true }
      : { ok: false, reason: 'less than 5 % of the disk is free' }
  } catch (error) {
    return { ok: false, reason: explain(error) ?? 'the data folder cannot be read' }
  }
}
