import type { Guards } from '../../../http/guards.ts'
import type { Base, Module } from '../../module.ts'
import { createCallLog } from './call-log.ts'
import { requestsRoutes } from './routes.ts'
import { type RequestsDeps, type RequestsService, requestsService } from './service.ts'

/**
 * Wires the last calls of credentials. The guards name the credential of a request as soon as they know it, and
 * `http/request-log.ts` tells of each request that was answered.
 */
export function buildRequests({ clock }: Base, { hasCredential }: Pick<RequestsDeps, 'hasCredential'>) {
  const calls = createCallLog(clock)
  const service = requestsService({ calls, hasCredential })
  const module = {
    service,
    routes: (guards: Guards) => requestsRoutes(guards, service),
    forgetStore: calls.forgetStore,
  } satisfies Module<RequestsService>
  return { ...module, calls }
}
