import type { Embedder, ModelFingerprint } from '../../platform/embedder/embedder.ts'

export interface HealthDeps {
  version: string
  schemaVersion: number
  embedder: Pick<Embedder, 'model' | 'status'>
  /** Writes something and takes it back. Throws when the database cannot be written. */
  probeDatabase(): void
  /** Asks the vector extension for its version. Throws when it is not there. */
  probeVectors(): void
  /** Free share of the data folder's disk, 0 to 1. */
  freeDiskShare(): Promise<number>
}

interface Check {
  ok: boolean
  reason?: string
}

/** Below this share of free disk the service counts as not ready. */
const FREE_DISK_MIN = 0.05

export type HealthService = ReturnType<typeof healthService>

export function healthService(deps: HealthDeps) {
  const modelCheck = (): Check => {
    const status = deps.embedder.status()
    if (status.state === 'ready') return { ok: true }
    return { ok: false, reason: status.state === 'failed' ? status.reason : 'the model is starting' }
  }

  return {
    /** Whether everything a request may need works now. */
    async readiness() {
      const checks = {
        database: attempt(deps.probeDatabase, 'the database cannot be written'),
        vectors: attempt(deps.probeVectors, 'the vector extension does not answer'),
        model: modelCheck(),
        disk: await freeDisk(deps.freeDiskShare),
      }
      const isReady = Object.values(checks).every(({ ok }) => ok)
      return { status: isReady ? ('ready' as const) : ('not_ready' as const), checks }
    },

    version: (): { version: string; api: string[]; schema: number; model: ModelFingerprint } => ({
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
  } catch {
    return { ok: false, reason }
  }
}

async function freeDisk(freeShare: () => Promise<number>): Promise<Check> {
  try {
    return (await freeShare()) >= FREE_DISK_MIN
      ? { ok: true }
      : { ok: false, reason: 'less than 5 % of the disk is free' }
  } catch {
    return { ok: false, reason: 'the data folder cannot be read' }
  }
}
