import { Elysia } from 'elysia'
import type { Doors } from '../../../http/doors.ts'
import type { Ground, Module } from '../../module.ts'
import { createPopular, type PopularDeps } from './popular.ts'
import { type RecordFeedback, widgetFeedbackRoutes, widgetRoutes } from './routes.ts'
import { type WidgetDeps, type WidgetService, widgetService } from './service.ts'

export interface WidgetNeeds extends Pick<WidgetDeps, 'search' | 'listPrivateKeys'> {
  recordFeedback: RecordFeedback
  findPopular: PopularDeps['findPopular']
}

/** Wires what a shop's own pages call with a widget key. It lies above searches, feedback and analytics. */
export function buildWidget({ clock }: Pick<Ground, 'clock'>, needs: WidgetNeeds) {
  const { search, listPrivateKeys, recordFeedback, findPopular } = needs
  const popular = createPopular({ findPopular, clock })
  const service = widgetService({ search, listPrivateKeys, listPopular: popular.list })
  return {
    service,
    routes: (doors: Doors) =>
      new Elysia({ name: 'widget' })
        .use(widgetRoutes(doors, service))
        .use(widgetFeedbackRoutes(doors, recordFeedback)),
    forgetStore: popular.forgetStore,
  } satisfies Module<WidgetService>
}
