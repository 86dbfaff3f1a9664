import { Elysia } from 'elysia'
import type { Guards } from '../../../http/guards.ts'
import type { Module } from '../../module.ts'
import { type FeedbackVerbs, widgetFeedbackRoutes, widgetRoutes } from './routes.ts'
import { type WidgetDeps, type WidgetService, widgetService } from './service.ts'

export interface WidgetNeeds extends Omit<WidgetDeps, 'see'>, Pick<FeedbackVerbs, 'recordFeedback' | 'see'> {}

/**
 * Wires the routes that a shop's pages call with a widget key. It lies above searches, feedback and analytics.
 *
 * `schema.ts` lists the fields that a page may send and see; everything else is dropped. `http/widget-guard.ts` checks
 * the key, its origin and the allowed use, and spends the budgets of visitor and key, all before the body is read.
 * Forced filters and the id of the key travel in the `Searcher`, so no verb can forget them. `privacy.ts` strips
 * private metadata from answers and names the parts of a query that would reveal it, such as a search by words that
 * compares a private field.
 *
 * The key and origin of a page go as `searchSource` into the history, and with feedback into the event. Analytics count
 * by source beside the totals; the backend's share is the difference. Anybody can read a widget key, so
 * `feedback/reporters.ts` lets a report of the backend replace those of pages on the same order or click.
 *
 * A person who previews a widget comes as its `previewer`. Nothing of that counts: no source, no session, no analytics, no event.
 */
export function buildWidget(needs: WidgetNeeds) {
  const service = widgetService(needs)
  return {
    service,
    routes: (guards: Guards) =>
      new Elysia({ name: 'widget' })
        .use(widgetRoutes(guards, service))
        .use(widgetFeedbackRoutes(guards, { ...needs, answerPreview: service.answerPreview })),
  } satisfies Module<WidgetService>
}
