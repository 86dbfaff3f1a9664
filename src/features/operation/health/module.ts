import type { AnyElysia } from 'elysia'
import { StorageProblem } from '../../../core/storage.ts'
import { schemaVersion } from '../../../platform/db/open.ts'
import { probeVectors } from '../../../platform/db/probe.ts'
import type { ModelSet } from '../../../platform/models/model-set.ts'
import type { StorageWatch } from '../../../platform/storage-watch.ts'
import { version } from '../../../version.ts'
import type { Base, Module } from '../../module.ts'
import { healthRoutes, livenessRoutes } from './routes.ts'
import { type HealthDeps, type HealthService, healthService } from './service.ts'

export interface HealthNeeds
  extends Pick<HealthDeps, 'readFreeDiskShare' | 'findBackupWarning' | 'readCopies'> {
  /** Its model in use alone decides whether the service is ready. */
  models: Pick<ModelSet, 'inUse'>
  storage: Pick<StorageWatch, 'probeDatabase' | 'probeFiles'>
  /** Whether the search index holds all vectors. */
  hasWholeIndex(): boolean
}

/** Wires health, readiness and version. */
export function buildHealth({ db }: Base, { storage, hasWholeIndex, models, ...needs }: HealthNeeds) {
  const service = healthService({
    ...needs,
    get embedder() {
      return models.inUse.embedder
    },
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
