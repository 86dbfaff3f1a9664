import { LIMITS } from '../../../core/limits.ts'

/** When a sign-in of the portal ends unless it is refreshed again, all in Unix ms. @param usedAt its last refresh. */
export const computePortalEnd = (createdAt: number, usedAt: number): number =>
  Math.min(usedAt + LIMITS.portalIdleMs, createdAt + LIMITS.portalSessionMs)
