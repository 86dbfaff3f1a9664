import { PLANS_PAGE, type PlanName } from '../../../core/plans.ts'
import type { Mail } from '../../../platform/mail/mailer.ts'
import { describeNearness, type Nearness } from './nearness.ts'

interface LimitFacts {
  /** Of the store. The mail leaves out the store's name, because a stranger may have typed it. */
  slug: string
  plan: PlanName
  nearness: Nearness
  baseUrl: string
}

const WHAT_HAPPENS = {
  products:
    'At the limit, new products are refused. Products that are there can still be changed, deleted and found.',
  storage:
    'At the limit, new pictures that are sent as files are refused. Everything else works, and pictures that are sent as URLs take no storage.',
} as const

/** Tells an owner that a store is near a limit of its plan. */
export function limitNearMail(to: string, { slug, plan, nearness, baseUrl }: LimitFacts): Mail {
  const { resource, percent } = nearness
  const paragraphs = [
    `${describeNearness(nearness)} (${plan}). The store is ${slug}.`,
    WHAT_HAPPENS[resource],
    `To make room, delete what you no longer need, or choose a larger plan: ${baseUrl}${PLANS_PAGE}`,
    'You get this mail once a month for each of the two marks, 80 and 95 %.',
  ]
  return {
    to,
    subject: `${slug} uses ${percent} % of its plan: ${resource}`,
    text: `${paragraphs.join('\n\n')}\n`,
  }
}
