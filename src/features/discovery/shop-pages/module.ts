import { turn } from '../../../core/turns.ts'
import type { Guards } from '../../../http/guards.ts'
import type { Base, Module } from '../../module.ts'
import { shopPagesRoutes } from './routes.ts'
import { type ShopPagesDeps, type ShopPagesService, shopPagesService } from './service.ts'

/**
 * Wires the looks at pages of shops. They lie above widget keys, settings and products.
 *
 * A page comes through `platform/outbound` within limits of size, time, redirects and number. `core/html-tags.ts` reads its
 * tags in small steps, `csp.ts` judges its policies as a browser does.
 */
export function buildShopPages(base: Base, needs: Omit<ShopPagesDeps, 'clock' | 'baseUrl' | 'turn'>) {
  const service = shopPagesService({ ...base, ...needs, turn })
  return {
    service,
    routes: (guards: Guards) => shopPagesRoutes(guards, service),
    forgetStore: service.forgetStore,
  } satisfies Module<ShopPagesService>
}
