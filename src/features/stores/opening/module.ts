import { Elysia } from 'elysia'
import type { Doors } from '../../../http/doors.ts'
import type { Base, Module } from '../../module.ts'
import { adminOpeningRoutes, openingRoutes } from './routes.ts'
import { type OpeningDeps, type OpeningService, openingService } from './service.ts'

export type OpeningNeeds = Pick<
  OpeningDeps,
  'stores' | 'people' | 'invites' | 'readRegistrationMode' | 'storesPerPerson' | 'plan'
>

/** Wires what opens stores by the API. */
export function buildOpening(base: Base, needs: OpeningNeeds) {
  const service = openingService({ ...base, ...needs })
  return {
    service,
    routes: (doors: Doors) =>
      new Elysia({ name: 'opening.routes' })
        .use(openingRoutes(doors, service))
        .use(adminOpeningRoutes(doors, service)),
  } satisfies Module<OpeningService>
}
