/** What a store may use, by plan (spec §8). Infinity stands for "unlimited". */
export interface Plan {
  /** US dollars a month. */
  pricePerMonth: number
  productsMax: number
  requestsPerMinute: number
}

export const PLANS = {
  free: { pricePerMonth: 0, productsMax: 50, requestsPerMinute: 10 },
  basic: { pricePerMonth: 29.99, productsMax: 5_000, requestsPerMinute: 60 },
  premium: { pricePerMonth: 99.99, productsMax: 50_000, requestsPerMinute: 200 },
  enterprise: { pricePerMonth: 299.99, productsMax: Infinity, requestsPerMinute: Infinity },
} as const satisfies Record<string, Plan>

export type PlanName = keyof typeof PLANS

export const PLAN_NAMES = Object.keys(PLANS) as PlanName[]

export const isPlanName = (name: string): name is PlanName => Object.hasOwn(PLANS, name)
