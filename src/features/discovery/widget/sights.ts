import type { FeedbackAction, FeedbackAnswer } from '../feedback/schema.ts'

/** What a page can be seen to do with a widget key. */
type Sight = 'search' | 'click' | 'cart' | 'purchase'

const SIGHT_OF: Readonly<Record<FeedbackAction, Sight>> = {
  click: 'click',
  add_to_cart: 'cart',
  purchase: 'purchase',
}

/** The kinds of events that were recorded, each once. @param body as it was answered. */
export function listSights(body: Record<string, unknown>, answer: FeedbackAnswer): Set<Sight> {
  const events = 'results' in answer ? (body['events'] as readonly unknown[]) : [body]
  const recorded = 'results' in answer ? answer.results : [{ index: 0, status: answer.status }]
  const sights = new Set<Sight>()
  for (const { index, status } of recorded) {
    const { action } = Object(events[index]) as { action?: unknown }
    if (status === 'recorded' && typeof action === 'string' && Object.hasOwn(SIGHT_OF, action))
      sights.add(SIGHT_OF[action as FeedbackAction])
  }
  return sights
}
