import { Elysia } from 'elysia'
import type { Guards } from '../../../http/guards.ts'
import type { Module } from '../../module.ts'
import { type RecordFeedback, widgetFeedbackRoutes, widgetRoutes } from './routes.ts'
import { type WidgetDeps, type WidgetService, widgetService } from './service.ts'

export interface WidgetNeeds extends WidgetDeps {
  recordFeedback: RecordFeedback
}

/** Wires the routes that a shop's pages call with a widget key. It lies above searches, feedback and analytics. */
export function buildWidget(needs: WidgetNeeds) {
  const service = widgetService(needs)
  return {
    service,
    routes: (guards: Guards) =>
      new Elysia({ name: 'widget' })
        .use(widgetRoutes(guards, service))
        .use(widgetFeedbackRoutes(guards, needs.recordFeedback)),
  } satisfies Module<WidgetService>
}
