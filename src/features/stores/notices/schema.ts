import { Type } from '@sinclair/typebox'
import { t } from 'elysia'
import { named } from '../../../http/openapi/named.ts'
import { Moment, MomentOrNull } from '../../../http/paging.ts'
import { oneOf } from '../../../http/schema.ts'
import { LoggedSearch } from '../../discovery/search-log/schema.ts'

/** What the overview may ask attention for. Names stay; later versions may add more. */
export const NOTICE_KINDS = [
  ...['items_failed', 'import_warnings', 'feeds_failing', 'feeds_stopped'],
  ...['products_without_name', 'products_without_price', 'products_without_category'],
  ...['products_without_address', 'products_sold_out', 'catalogue_report'],
  ...['no_clicks', 'clicks_unattributed', 'clicks_partial', 'no_purchases', 'empty_searches', 'unmet_demand'],
  ...['products_near_limit', 'storage_near_limit'],
  ...['api_keys_expiring', 'api_keys_of_former_members', 'webhooks_failing'],
  ...['own_2fa_missing', 'members_without_2fa'],
] as const
export type NoticeKind = (typeof NOTICE_KINDS)[number]

/** What the setting `hidden` takes. */
export const HIDEABLE = ['checklist', ...NOTICE_KINDS] as const

export const SEVERITIES = ['info', 'warning', 'error'] as const

export const OverviewQuery = t.Object({
  searches: t.Optional(
    t.Integer({
      minimum: 0,
      maximum: 20,
      default: 0,
      description: 'How many of the latest searches the answer shows; they need `search:read`.',
    }),
  ),
})
export type OverviewQuery = typeof OverviewQuery.static

const NOTICE = {
  kind: oneOf(NOTICE_KINDS),
  severity: oneOf(SEVERITIES),
  page: oneOf(
    ['products', 'import', 'feeds', 'analytics', 'plan', 'keys', 'webhooks', 'team'],
    'The page that it belongs to.',
  ),
  text: t.String({ description: 'The same for people; may change.' }),
  data: t.Record(t.String(), t.Unknown(), { description: 'The numbers and ids of the text, by kind.' }),
  link: t.String({ description: 'The path of the API that shows more.' }),
  since: t.Union([Moment, t.Null()], { description: 'null where nobody knows.' }),
}

export const Notice = named('Notice', t.Object(NOTICE))
export type Notice = typeof Notice.static

const ChecklistItem = named(
  'ChecklistItem',
  t.Object({
    key: oneOf([
      ...(['products', 'first_search', 'shop_address', 'widget_seen', 'first_click'] as const),
      'second_factor',
    ]),
    is_done: t.Boolean(),
    link: t.String({ description: 'The path of the API that does it.' }),
  }),
)
export type ChecklistItem = typeof ChecklistItem.static

/** GET /v1/store/overview. */
export const StoreOverview = named(
  'StoreOverview',
  t.Object({
    checklist: t.Array(ChecklistItem, { description: 'Empty where `hidden` names it.' }),
    attention: t.Array(Notice, { description: 'Errors first, then warnings.' }),
    hidden: t.Array(oneOf(HIDEABLE), { description: 'As in the settings of the store.' }),
    latest_searches: t.Optional(t.Array(LoggedSearch)),
  }),
)
export type StoreOverview = typeof StoreOverview.static

/** What concerns the service itself. Names stay; later versions may add more. */
const NODE_NOTICE_KINDS = ['model_products_failed', 'former_model_kept'] as const

export const NodeNotice = named(
  'NodeNotice',
  t.Object({
    kind: oneOf(
      NODE_NOTICE_KINDS,
      '`model_products_failed`: a move to another model could not embed some products again; `former_model_kept`: the way back to the former model is open.',
    ),
    severity: NOTICE.severity,
    page: oneOf(['models'] as const, 'The page of the operator that it belongs to.'),
    ...{ text: NOTICE.text, data: NOTICE.data, link: NOTICE.link, since: NOTICE.since },
  }),
)
export type NodeNotice = typeof NodeNotice.static

/** GET /v1/admin/overview. */
export const NodeOverview = named(
  'NodeOverview',
  t.Object({
    attention: t.Array(
      t.Object({
        ...NOTICE,
        store: t.Object({
          id: t.String(),
          slug: t.String(),
          name: t.String({ description: 'Of the store.' }),
        }),
      }),
      { description: 'Errors first; at most 3 of one store, and 300 in all.' },
    ),
    of_node: t.Array(NodeNotice, { description: 'What concerns no store, as it is at this moment.' }),
    stores: Type.Integer({ description: 'Stores that were looked at: those that are not suspended.' }),
    stores_with_attention: Type.Integer(),
    made_at: MomentOrNull,
  }),
)
export type NodeOverview = typeof NodeOverview.static
