import { type Static, Type } from '@sinclair/typebox'
import { t } from 'elysia'
import { named } from '../../../http/openapi/named.ts'
import { MomentOrNull, PAGE_END, pageQuery } from '../../../http/paging.ts'
import { oneOf } from '../../../http/schema.ts'
import { text } from '../../../http/text-schema.ts'
import { DOMAIN_PATTERN } from './names.ts'

export const FORMATS = ['json', 'haproxy', 'nginx', 'caddy', 'prometheus'] as const
export type MapFormat = (typeof FORMATS)[number]

export const PAGE_DEFAULT = 200
export const PAGE_MAX = 1_000

export const MapQuery = t.Object({
  format: t.Optional(
    oneOf(
      FORMATS,
      '`json`, the default, is a page of stores; `haproxy`, `nginx` and `caddy` are all of them as the lines of that proxy’s map; `prometheus` lists the nodes as `file_sd` reads them.',
    ),
  ),
  hosts: t.Optional(
    text({
      pattern: DOMAIN_PATTERN,
      description:
        'a domain in small letters, such as search.example: each store then has a line for <slug>.search.example',
    }),
  ),
  ...pageQuery({ default: PAGE_DEFAULT, maximum: PAGE_MAX }),
})
export type MapQuery = Static<typeof MapQuery>

export const STORE_STATES = ['active', 'moving', 'moved'] as const

export const MapStore = named(
  'MapStore',
  t.Object({
    store_id: t.String({ description: 'Also the `client_id` of the store.' }),
    slug: t.String(),
    state: oneOf(STORE_STATES, '`active` and `moving` are served here, `moved` at `url`.'),
    url: t.String({ description: 'The node that serves the store.' }),
    moved_at: MomentOrNull,
    widget_keys: t.Array(t.String(), {
      description:
        'Keys that stand in the pages of the shop, and so are no secret. Keys of which only the hash is kept are left out.',
    }),
  }),
)
export type MapStore = Static<typeof MapStore>

export const NodeMap = named(
  'NodeMap',
  t.Object({
    node: t.Object({ url: t.String({ description: '`BASE_URL`.' }), version: t.String() }),
    nodes: t.Array(t.String(), { description: 'This node, and those that its stores have moved to.' }),
    stores: t.Array(MapStore),
    count: Type.Integer({ description: 'Stores of this page.' }),
    ...PAGE_END,
  }),
)
export type NodeMap = Static<typeof NodeMap>
