import { Type } from '@sinclair/typebox'
import { t } from 'elysia'
import { named } from '../../../http/openapi/named.ts'

export const DemoInstalled = named(
  'DemoInstalled',
  t.Object({
    status: t.Literal('installed'),
    installed: Type.Integer({ description: 'Products that were added.' }),
    skipped: Type.Integer({ description: 'Products that already existed.' }),
    products: t.Array(t.String(), { description: 'The ids of all demo products.' }),
  }),
)
export type DemoInstalled = typeof DemoInstalled.static

export const DemoRemoved = named(
  'DemoRemoved',
  t.Object({
    status: t.Literal('deleted'),
    deleted: Type.Integer(),
    products: t.Array(t.String()),
  }),
)
export type DemoRemoved = typeof DemoRemoved.static

export const Samples = named(
  'Samples',
  t.Array(
    t.Object({
      name: t.String({ examples: ['Red backpack in a room'] }),
      url: t.String({ examples: ['/samples/3f8a5c0de1b2479688aa01c2d3e4f506.webp'] }),
    }),
  ),
)
export type Samples = typeof Samples.static
