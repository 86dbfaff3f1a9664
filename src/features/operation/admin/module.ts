import { Elysia } from 'elysia'
import type { Guards } from '../../../http/guards.ts'
import type { Base, Module } from '../../module.ts'
import { adminAccountRoutes } from './account-routes.ts'
import { type AdminMoneyDeps, adminMoneyService } from './money.ts'
import { adminMoneyRoutes } from './money-routes.ts'
import { type AdminNodeDeps, adminNodeService } from './node.ts'
import { adminNodeQueries } from './node-queries.ts'
import { adminNodeRoutes } from './node-routes.ts'
import { type AdminPeopleDeps, adminPeopleService } from './people.ts'
import { adminPeopleQueries } from './people-queries.ts'
import { adminPeopleRoutes } from './people-routes.ts'
import { adminStoreQueries } from './store-queries.ts'
import { adminStoreRoutes } from './store-routes.ts'
import { type AdminStoreDeps, adminStoreService } from './stores.ts'
import { type AdminWork, adminWorkRoutes } from './work-routes.ts'

export interface AdminNeeds
  extends Pick<AdminStoreDeps, 'people' | 'stores' | 'flushSearches'>,
    Pick<AdminPeopleDeps, 'operator' | 'deleteByOperator' | 'resetTwoFactor' | 'failures'>,
    Pick<AdminNodeDeps, 'outbox' | 'health' | 'listAudit' | 'readFreeDiskShare' | 'examine' | 'settings'>,
    AdminMoneyDeps {
  work: AdminWork
}

/** Wires what super-admins see of stores, people and this node, and do to them. */
export function buildAdmin(base: Base, needs: AdminNeeds) {
  const stores = adminStoreService({ ...base, ...needs, queries: adminStoreQueries(base.db) })
  const people = adminPeopleService({ ...base, ...needs, queries: adminPeopleQueries(base.db) })
  const node = adminNodeService({
    ...base,
    ...needs,
    queries: adminNodeQueries(base.db),
    readMemoryBytes: () => process.memoryUsage.rss(),
  })
  return {
    service: {},
    routes: (guards: Guards) =>
      new Elysia({ name: 'admin' })
        .use(adminStoreRoutes(guards, stores))
        .use(adminPeopleRoutes(guards, people))
        .use(adminAccountRoutes(guards, people))
        .use(adminNodeRoutes(guards, node))
        .use(adminMoneyRoutes(guards, adminMoneyService(needs)))
        .use(adminWorkRoutes(guards, needs.work)),
  } satisfies Module<object>
}
