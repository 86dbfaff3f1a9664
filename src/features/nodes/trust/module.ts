import { MINUTE_MS } from '../../../core/clock.ts'
import type { Guards } from '../../../http/guards.ts'
import { version } from '../../../version.ts'
import type { Base, Module } from '../../module.ts'
import { nodeInviteQueries } from './queries.ts'
import { trustRoutes } from './routes.ts'
import { type TrustDeps, type TrustService, trustService } from './service.ts'

const WRONG_CODES_MAX = 10
const WINDOW_MS = 15 * MINUTE_MS

/**
 * Wires the trust between nodes. A code holds a secret, of which only the hash is kept, and which certificate this node shows: the
 * other side compares it before it sends anything, so no authority has to vouch for either.
 */
export function buildTrust(base: Base, needs: Pick<TrustDeps, 'door' | 'readSecrets'>) {
  const service = trustService({
    ...base,
    ...needs,
    version,
    queries: nodeInviteQueries(base.db),
    failures: base.throttle('wrong node codes', WRONG_CODES_MAX, WINDOW_MS),
  })
  return {
    service,
    routes: (guards: Guards) => trustRoutes(guards, service, needs.door),
  } satisfies Module<TrustService>
}
