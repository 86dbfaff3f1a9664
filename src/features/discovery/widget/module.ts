import { Elysia } from 'elysia'
import type { Doors } from '../../../http/doors.ts'
import type { Module } from '../../module.ts'
import { type RecordFeedback, widgetFeedbackRoutes, widgetRoutes } from './routes.ts'
import { type WidgetDeps, type WidgetService, widgetService } from './service.ts'

export interface WidgetNeeds extends WidgetDeps {
  /** Without it there is no route for feedback. */
  recordFeedback?: RecordFeedback
}

/** Wires what a shop's own pages call with a widget key. It lies above searches and feedback. */
export function buildWidget({ recordFeedback, ...needs }: WidgetNeeds) {
  const service = widgetService(needs)
  return {
    service,
    routes(doors: Doors) {
      const routes = new Elysia({ name: 'widget' }).use(widgetRoutes(doors, service))
      return recordFeedback ? routes.use(widgetFeedbackRoutes(doors, recordFeedback)) : routes
    },
  } satisfies Module<WidgetService>
}
