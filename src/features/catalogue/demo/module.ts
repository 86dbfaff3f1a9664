import { Elysia } from 'elysia'
import type { Guards } from '../../../http/guards.ts'
import type { Base, Module } from '../../module.ts'
import type { ProductsModule } from '../products/module.ts'
import { DEMO_PRODUCTS, DEMO_QUERIES } from './catalogue.ts'
import { demoRoutes } from './routes.ts'
import { sampleRoutes } from './sample-routes.ts'
import { sampleService } from './samples.ts'
import { type DemoDeps, demoService } from './service.ts'

export interface DemoNeeds extends Pick<DemoDeps, 'readPicture'> {
  products: Pick<ProductsModule['service'], 'writer' | 'has' | 'count' | 'listDemoIds'>
}

/**
 * Wires the demo catalogue, whose products the one writer of products adds and deletes, and its sample pictures to search with.
 */
export function buildDemo({ plans, baseUrl }: Base, { readPicture, products }: DemoNeeds) {
  const { writer } = products
  const service = demoService({ catalogue: DEMO_PRODUCTS, readPicture, writer, products, plans, baseUrl })
  const samples = sampleService({ queries: DEMO_QUERIES, readPicture })
  return {
    service,
    routes: (guards: Guards) =>
      new Elysia({ name: 'demo' }).use(demoRoutes(guards, service)).use(sampleRoutes(samples)),
  } satisfies Module<object>
}
