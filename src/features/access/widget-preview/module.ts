import type { Guards } from '../../../http/guards.ts'
import type { Base, Module } from '../../module.ts'
import { widgetPreviewRoutes } from './routes.ts'
import { type WidgetPreviewDeps, type WidgetPreviewService, widgetPreviewService } from './service.ts'

/** Wires previews of widgets: keys for the pages of this service, and the page that shows the widget. */
export function buildWidgetPreview(
  base: Base,
  needs: Pick<WidgetPreviewDeps, 'keys' | 'findCallerOfSession' | 'portalDoor'>,
) {
  const service = widgetPreviewService({ ...base, ...needs })
  return {
    service,
    routes: (guards: Guards) => widgetPreviewRoutes(guards, service),
    forgetStore: service.forgetStore,
  } satisfies Module<WidgetPreviewService>
}
