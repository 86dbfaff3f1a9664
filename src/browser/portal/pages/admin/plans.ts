import type { AdminStore } from '#generated/api.ts'

export type Plan = AdminStore['plan']

export const PLANS = ['free', 'basic', 'premium', 'enterprise'] as const satisfies readonly Plan[]
