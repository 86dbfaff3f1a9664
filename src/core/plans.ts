/** Limits of a store on a plan (contract 6.1). Infinity means unlimited. */
export interface Plan {
  /** US dollars a month. */
  pricePerMonth: number
  productsMax: number
  requestsPerMinute: number
  /** Searches a minute with one widget key that has no rate of its own. */
  widgetRequestsPerMinute: number
  /** Bytes of the pictures that the service stores: those that were uploaded as files. */
  storageBytesMax: number
  /** Bytes of the failed items that are kept of jobs that are over, for the list of errors and another try. */
  jobErrorBytesMax: number
}

const MB = 1_000_000
const GB = 1_000 * MB

export const PLANS = {
  free: {
    pricePerMonth: 0,
    productsMax: 50,
    requestsPerMinute: 10,
    widgetRequestsPerMinute: 10,
    storageBytesMax: 500 * MB,
    jobErrorBytesMax: 16 * MB,
  },
  basic: {
    pricePerMonth: 29.99,
    productsMax: 5_000,
    requestsPerMinute: 60,
    widgetRequestsPerMinute: 60,
    storageBytesMax: 10 * GB,
    jobErrorBytesMax: 100 * MB,
  },
  premium: {
    pricePerMonth: 99.99,
    productsMax: 50_000,
    requestsPerMinute: 200,
    widgetRequestsPerMinute: 200,
    storageBytesMax: 50 * GB,
    jobErrorBytesMax: 400 * MB,
  },
  enterprise: {
    pricePerMonth: 299.99,
    productsMax: Infinity,
    requestsPerMinute: Infinity,
    widgetRequestsPerMinute: 1_200,
    storageBytesMax: Infinity,
    jobErrorBytesMax: Infinity,
  },
} as const satisfies Record<string, Plan>

/** Currency of all prices (ISO 4217). */
export const CURRENCY = 'USD'

/** Path of the page that lists the plans and says how to change to one. */
export const PLANS_PAGE = '/billing/plans'

export type PlanName = keyof typeof PLANS

export const PLAN_NAMES = Object.keys(PLANS) as PlanName[]

export const isPlanName = (name: string): name is PlanName => Object.hasOwn(PLANS, name)
