/** Limits of a store on a plan (contract 6.1). Infinity means unlimited. */
export interface Plan {
  /** The title that people read; null for the name itself. */
  title: string | null
  /** A month, in the currency of the plans. */
  pricePerMonth: number
  productsMax: number
  requestsPerMinute: number
  /** Searches a minute with one widget key that has no rate of its own. */
  widgetRequestsPerMinute: number
  /** Bytes of the pictures that the service stores: those that were uploaded as files. */
  storageBytesMax: number
  /** Bytes of failed items that finished jobs keep, for the list of errors and another try. */
  jobErrorBytesMax: number
  /** Bytes of changes that the change log keeps. */
  changeBytesMax: number
  /** Events of feedback that are kept: of the backend, and as many of all pages. */
  feedbackEventsMax: number
}

/** The plans of a service, by their names, and the currency of their prices (ISO 4217). */
export type Plans = Readonly<Record<PlanName, Readonly<Plan>>> & { readonly currency: string }

const MB = 1_000_000
const GB = 1_000 * MB

/** The plans of contract 6.1, which an operator may change by `PLANS_FILE`. */
export const PLANS = {
  currency: 'USD',
  free: {
    title: null,
    pricePerMonth: 0,
    productsMax: 50,
    requestsPerMinute: 10,
    widgetRequestsPerMinute: 10,
    storageBytesMax: 500 * MB,
    jobErrorBytesMax: 16 * MB,
    changeBytesMax: 30 * MB,
    feedbackEventsMax: 30_000,
  },
  basic: {
    title: null,
    pricePerMonth: 29.99,
    productsMax: 5_000,
    requestsPerMinute: 60,
    widgetRequestsPerMinute: 60,
    storageBytesMax: 10 * GB,
    jobErrorBytesMax: 100 * MB,
    changeBytesMax: GB,
    feedbackEventsMax: 1_000_000,
  },
  premium: {
    title: null,
    pricePerMonth: 99.99,
    productsMax: 50_000,
    requestsPerMinute: 200,
    widgetRequestsPerMinute: 200,
    storageBytesMax: 50 * GB,
    jobErrorBytesMax: 400 * MB,
    changeBytesMax: 10 * GB,
    feedbackEventsMax: 10_000_000,
  },
  enterprise: {
    title: null,
    pricePerMonth: 299.99,
    productsMax: Infinity,
    requestsPerMinute: Infinity,
    widgetRequestsPerMinute: 1_200,
    storageBytesMax: Infinity,
    jobErrorBytesMax: Infinity,
    changeBytesMax: Infinity,
    feedbackEventsMax: Infinity,
  },
} as const satisfies Plans

/** Path of the page that lists the plans and says how to change to one. */
export const PLANS_PAGE = '/billing/plans'

export const PLAN_NAMES = ['free', 'basic', 'premium', 'enterprise'] as const

export type PlanName = (typeof PLAN_NAMES)[number]

export const isPlanName = (name: string): name is PlanName => PLAN_NAMES.some((known) => known === name)

/** The form of a limit on the wire: null for no limit. */
export const limitOrNull = (limit: number): number | null => (limit === Infinity ? null : limit)
