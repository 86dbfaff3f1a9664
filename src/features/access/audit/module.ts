import { HOUR_MS } from '../../../core/clock.ts'
import type { Guards } from '../../../http/guards.ts'
import type { Base, Module } from '../../module.ts'
import { auditQueries } from './queries.ts'
import { auditRoutes } from './routes.ts'
import { type AuditService, auditService } from './service.ts'

/** Wires the audit log. It comes before every other module: its `record` is part of their base. */
export function buildAudit({ db, clock, ids }: Pick<Base, 'db' | 'clock' | 'ids'>) {
  const service = auditService({ queries: auditQueries(db), clock, ids })
  return {
    service,
    routes: (guards: Guards) => auditRoutes(guards, service),
    chores: [{ name: 'deleting old audit events', everyMs: HOUR_MS, run: service.prune }],
  } satisfies Module<AuditService>
}
