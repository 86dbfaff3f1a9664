import type { PlanName, Plans } from '../../../core/plans.ts'
import { decimalSize, groupThousands } from '../../../core/text.ts'
import type { Resource, StoreUse } from './queries.ts'

/** How much of a limit of the plan a store uses. */
export interface Nearness {
  resource: Resource
  /** The highest threshold that is reached. */
  percent: number
  used: number
  limit: number
}

/** Percent of a limit at which a store is warned, highest first. */
export const THRESHOLDS = [95, 80] as const

/** Whether a plan has a limit that a store can come near to. */
export const hasLimits = (plans: Plans, plan: PlanName): boolean =>
  plans[plan].productsMax < Infinity || plans[plan].storageBytesMax < Infinity

/** Lists the limits of its plan that a store is near to, or above. */
export function listNearLimits(
  plans: Plans,
  { plan, products, storageBytes }: Omit<StoreUse, 'slug'>,
): Nearness[] {
  const { productsMax, storageBytesMax } = plans[plan]
  return [...near('products', products, productsMax), ...near('storage', storageBytes, storageBytesMax)]
}

function near(resource: Resource, used: number, limit: number): Nearness[] {
  const percent = THRESHOLDS.find((threshold) => used * 100 >= limit * threshold)
  return percent === undefined ? [] : [{ resource, percent, used, limit }]
}

/** Says in words how much is used. */
export const describeNearness = ({ resource, used, limit }: Nearness): string =>
  resource === 'products'
    ? `The store has ${groupThousands(used)} of the ${groupThousands(limit)} products of its plan`
    : `The pictures of the store take ${decimalSize(used)} of the ${decimalSize(limit)} of its plan`
