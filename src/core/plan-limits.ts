import type { CallerStore } from './actor.ts'
import { ApiError } from './errors.ts'
import { PLANS_PAGE, type Plans } from './plans.ts'
import { decimalSize } from './text.ts'

/** Address of the page that lists the plans. */
const upgradeUrl = (baseUrl: string): string => baseUrl + PLANS_PAGE

/**
 * Refuses products beyond the plan (contract 6.3).
 *
 * @param products_count the products that the store has.
 */
export function productLimitExceeded(
  plans: Plans,
  { plan: plan_name }: Pick<CallerStore, 'plan'>,
  products_count: number,
  baseUrl: string,
): ApiError {
  const max_products = plans[plan_name].productsMax
  return new ApiError('product_limit_exceeded', `The plan ${plan_name} holds ${max_products} products`, {
    details: { plan_name, max_products, products_count, upgrade_url: upgradeUrl(baseUrl) },
  })
}

/**
 * Refuses a stored picture beyond the plan (contract 6.3).
 *
 * @param storage_bytes the bytes of the pictures that the store keeps.
 */
export function storageLimitExceeded(
  plans: Plans,
  { plan: plan_name }: Pick<CallerStore, 'plan'>,
  storage_bytes: number,
  baseUrl: string,
): ApiError {
  const storage_max_bytes = plans[plan_name].storageBytesMax
  return new ApiError(
    'storage_limit_exceeded',
    `The plan ${plan_name} keeps ${decimalSize(storage_max_bytes)} of pictures`,
    { details: { plan_name, storage_max_bytes, storage_bytes, upgrade_url: upgradeUrl(baseUrl) } },
  )
}
