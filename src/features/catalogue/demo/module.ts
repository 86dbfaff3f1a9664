import type { Guards } from '../../../http/guards.ts'
import type { Base, Module } from '../../module.ts'
import type { ProductsModule } from '../products/module.ts'
import { DEMO_PRODUCTS } from './catalogue.ts'
import { demoRoutes } from './routes.ts'
import { type DemoDeps, demoService } from './service.ts'

export interface DemoNeeds extends Pick<DemoDeps, 'readPicture'> {
  products: Pick<ProductsModule['service'], 'writer' | 'has' | 'count' | 'listDemoIds'>
}

/** Wires the demo catalogue, whose products the one writer of products adds and deletes. */
export function buildDemo({ plans, baseUrl }: Base, { readPicture, products }: DemoNeeds) {
  const { writer } = products
  const service = demoService({ catalogue: DEMO_PRODUCTS, readPicture, writer, products, plans, baseUrl })
  return { service, routes: (guards: Guards) => demoRoutes(guards, service) } satisfies Module<object>
}
