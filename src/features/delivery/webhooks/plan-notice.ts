import { PLANS } from '../../../core/plans.ts'
import type { StoreQueries } from '../../stores/stores/queries.ts'
import type { Deliveries } from './deliveries.ts'

export interface PlanNoticeDeps {
  stores: Pick<StoreQueries, 'findStore' | 'countProducts'>
  queue: Deliveries['queue']
}

/** Share of the plan's products at which webhooks are told. */
const NEAR = 0.9

/** Tells webhooks with `plan.limit_near` when a store reaches 90 % of the products of its plan. */
export function createPlanNotice({ stores, queue }: PlanNoticeDeps) {
  /** Call it with every new product of a store with webhooks, inside its transaction. */
  return function notice(storeId: string): void {
    const plan_name = stores.findStore(storeId)?.plan
    if (plan_name === undefined) return
    const max_products = PLANS[plan_name].productsMax
    const products_count = stores.countProducts(storeId)
    // Exactly there, so that a store that grows on is told once.
    if (products_count !== Math.ceil(max_products * NEAR)) return
    queue(storeId, 'plan.limit_near', { data: JSON.stringify({ plan_name, max_products, products_count }) })
  }
}
