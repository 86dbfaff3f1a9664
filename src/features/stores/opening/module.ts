import { Elysia } from 'elysia'
import type { Guards } from '../../../http/guards.ts'
import type { Base, Module } from '../../module.ts'
import { adminOpeningRoutes, openingRoutes } from './routes.ts'
import { type OpeningDeps, type OpeningService, openingService } from './service.ts'
import { type SetupDeps, type SetupService, setupService } from './setup.ts'

export type OpeningNeeds = Pick<
  OpeningDeps,
  'storeRows' | 'stores' | 'people' | 'invites' | 'readRegistrationMode' | 'storesPerPerson' | 'plan'
>

/** Wires the set-up of stores at the command line. */
export const buildSetup = (
  base: Base,
  needs: Pick<SetupDeps, 'storeRows' | 'stores' | 'people' | 'hashPassword' | 'verifyPassword'>,
): Module<SetupService> => ({ service: setupService({ ...base, ...needs }) })

/**
 * Wires the opening of stores by the API: by people, as many as `STORES_PER_PERSON` allows, and by the operator, whose
 * invitation of the owner joins the transaction of the store. `core/slugs.ts` lists the slugs that no store may get, and a
 * test compares the list with the router.
 */
export function buildOpening(base: Base, needs: OpeningNeeds) {
  const service = openingService({ ...base, ...needs })
  return {
    service,
    routes: (guards: Guards) =>
      new Elysia({ name: 'opening.routes' })
        .use(openingRoutes(guards, service))
        .use(adminOpeningRoutes(guards, service)),
  } satisfies Module<OpeningService>
}
