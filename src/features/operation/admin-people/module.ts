import type { Doors } from '../../../http/doors.ts'
import type { Base, Module } from '../../module.ts'
import { adminPeopleQueries } from './queries.ts'
import { adminPeopleRoutes } from './routes.ts'
import { type AdminPeopleDeps, type AdminPeopleService, adminPeopleService } from './service.ts'

/** Wires what super-admins see of people, and do for them. */
export function buildAdminPeople(
  base: Base,
  needs: Pick<AdminPeopleDeps, 'operator' | 'resetTwoFactor' | 'failures'>,
) {
  const service = adminPeopleService({ ...base, ...needs, queries: adminPeopleQueries(base.db) })
  return {
    service,
    routes: (doors: Doors) => adminPeopleRoutes(doors, service),
  } satisfies Module<AdminPeopleService>
}
