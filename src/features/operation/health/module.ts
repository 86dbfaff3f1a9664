import type { AnyElysia } from 'elysia'
import { StorageProblem } from '../../../core/storage.ts'
import { schemaVersion } from '../../../platform/db/open.ts'
import { probeVectors } from '../../../platform/db/probe.ts'
import type { StorageWatch } from '../../../platform/storage-watch.ts'
import { version } from '../../../version.ts'
import type { Base, Module } from '../../module.ts'
import { healthRoutes, livenessRoutes } from './routes.ts'
import { type HealthDeps, type HealthService, healthService } from './service.ts'

export interface HealthNeeds
  extends Pick<HealthDeps, 'embedder' | 'readFreeDiskShare' | 'findBackupWarning'> {
  storage: Pick<StorageWatch, 'probeDatabase' | 'probeFiles'>
  /** Whether the search index holds all vectors. */
  hasWholeIndex(): boolean
}

/** Wires health, readiness and version. */
export function buildHealth({ db }: Base, { storage, hasWholeIndex, ...needs }: HealthNeeds) {
  const service = healthService({
    ...needs,
    version,
    schemaVersion,
    probeDatabase: storage.probeDatabase,
    probeFiles: storage.probeFiles,
    probeVectors() {
      if (!hasWholeIndex()) throw new StorageProblem('the vectors could not be read at the start')
      probeVectors(db)
    },
  })
  return { service, routes: () => healthRoutes(service), livenessRoutes } satisfies Module<HealthService> & {
    livenessRoutes(): AnyElysia
  }
}
