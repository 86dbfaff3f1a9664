import type { FeedRun } from '#generated/api.ts'

/** How a run went, as one looks for it: well, nothing new, stopped before deleting, not at all, not over yet. */
export type Outcome = 'good' | 'same' | 'stopped' | 'bad' | 'running'

export function judgeRun({ status, counts }: Pick<FeedRun, 'status' | 'counts'>): Outcome {
  switch (status) {
    case 'completed':
      return counts.succeeded + counts.deleted === 0 ? 'same' : 'good'
    case 'unchanged':
      return 'same'
    case 'stopped':
      return 'stopped'
    case 'failed':
    case 'cancelled':
      return 'bad'
    default:
      return 'running'
  }
}

/** The numbers of products that a stopped run tells, where it was stopped for them. */
export function readBrake({ error }: Pick<FeedRun, 'error'>): { missing: number; all: number | null } | null {
  const { missing, feed_products } = error?.details ?? {}
  if (typeof missing !== 'number') return null
  return { missing, all: typeof feed_products === 'number' ? feed_products : null }
}
