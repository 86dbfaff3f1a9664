import { t } from 'elysia'
import { named } from '../../../http/openapi/named.ts'
import { Moment } from '../../../http/paging.ts'

export const WidgetPreview = named(
  'WidgetPreview',
  t.Object({
    key: t.String({ description: 'A key like the widget key, for the pages of this service alone.' }),
    url: t.String({
      description:
        'Address of a page that shows the widget, for a frame of this service. The key stands behind the `#`, which no browser sends anywhere.',
    }),
    expires_at: Moment,
  }),
)
export type WidgetPreview = typeof WidgetPreview.static
