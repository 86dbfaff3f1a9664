import { Elysia } from 'elysia'
import { MINUTE_MS } from '../../../core/clock.ts'
import type { Guards } from '../../../http/guards.ts'
import type { PortalDoor } from '../../../http/portal-door.ts'
import { version } from '../../../version.ts'
import type { Base, Module } from '../../module.ts'
import { type FirstOwnerDeps, firstOwnerService } from './first-owner.ts'
import { adminOpeningRoutes, openingRoutes } from './routes.ts'
import type { SlugState } from './schema.ts'
import { type OpeningDeps, type OpeningService, openingService } from './service.ts'
import { type SetupDeps, setupService } from './setup.ts'
import { setupCodeQueries } from './setup-code-queries.ts'
import { createSetupCodes } from './setup-codes.ts'
import { setupRoutes, slugRoutes } from './setup-routes.ts'
import { findSlugReason } from './slug-rule.ts'

export type OpeningNeeds = Pick<
  OpeningDeps,
  'storeRows' | 'stores' | 'people' | 'invites' | 'readRegistrationMode' | 'storesPerPerson' | 'plan'
> &
  Omit<FirstOwnerDeps, 'version'> & { portalDoor: PortalDoor }

const CODE_FAILURES_MAX = 10
const CODE_FAILURES_MS = 15 * MINUTE_MS

/** Wires the set-up of stores at the command line, and the codes of the one in a browser. */
export function buildSetup(
  base: Base,
  needs: Pick<SetupDeps, 'storeRows' | 'stores' | 'people' | 'hashPassword' | 'verifyPassword'>,
) {
  const codes = createSetupCodes({
    ...base,
    queries: setupCodeQueries(base.db),
    people: needs.people,
    failures: base.throttle('setup.address', CODE_FAILURES_MAX, CODE_FAILURES_MS),
  })
  return { service: { setup: setupService({ ...base, ...needs }), codes } } satisfies Module<unknown>
}

/**
 * Wires the opening of stores by the API: by people, as many as `STORES_PER_PERSON` allows, and by the operator, whose
 * invitation of the owner joins the transaction of the store. `core/slugs.ts` lists the slugs that no store may get, and a
 * test compares the list with the router.
 *
 * Until there is a super-admin, the holder of a one-time code becomes the first, with a store (`first-owner.ts`).
 */
export function buildOpening(base: Base, needs: OpeningNeeds) {
  const service = openingService({ ...base, ...needs })
  const firstOwner = firstOwnerService({ ...needs, version })
  const describeSlug = (slug: string): SlugState => {
    const reason = findSlugReason(slug, needs.storeRows)
    return { slug, is_free: reason === null, reason }
  }
  return {
    service,
    routes: (guards: Guards) =>
      new Elysia({ name: 'opening.routes' })
        .use(openingRoutes(guards, service))
        .use(adminOpeningRoutes(guards, service))
        .use(slugRoutes(guards, describeSlug))
        .use(setupRoutes(guards, firstOwner, needs.portalDoor)),
  } satisfies Module<OpeningService>
}
