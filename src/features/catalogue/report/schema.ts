import { Type } from '@sinclair/typebox'
import { t } from 'elysia'
import { named } from '../../../http/openapi/named.ts'
import { Moment } from '../../../http/paging.ts'
import { oneOf } from '../../../http/schema.ts'

/** What a report looks for, most worth correcting first. */
export const FINDING_KINDS = [
  'dead_link',
  'shared_picture',
  'category_mismatch',
  'color_mismatch',
  'near_duplicate',
  'tiny_picture',
  'no_words',
] as const
export type FindingKind = (typeof FINDING_KINDS)[number]

/** The facts behind a reason; which are there depends on the kind. */
const FindingData = t.Object({
  other_product_id: t.Optional(t.String({ description: '`near_duplicate`: the product that it resembles.' })),
  similarity: t.Optional(t.Number({ description: '`near_duplicate`: 0 to 1.' })),
  products: t.Optional(
    Type.Integer({ description: '`shared_picture`: how many products have the same picture.' }),
  ),
  group: t.Optional(
    Type.Integer({ description: '`shared_picture`: products with the same number share a picture.' }),
  ),
  category: t.Optional(t.String({ description: '`category_mismatch`: the category of the product.' })),
  seems: t.Optional(t.String({ description: '`category_mismatch`: the category that its picture shows.' })),
  color_name: t.Optional(t.String({ description: '`color_mismatch`: the colour of the product.' })),
  shows: t.Optional(
    t.String({ description: '`color_mismatch`: the main colour of its picture, in English.' }),
  ),
  failure: t.Optional(t.String({ description: '`dead_link`: why the picture could not be loaded.' })),
  width: t.Optional(Type.Integer({ description: '`tiny_picture`, in pixels.' })),
  height: t.Optional(Type.Integer({ description: '`tiny_picture`, in pixels.' })),
})
export type FindingData = typeof FindingData.static

const ReportedProduct = t.Object({
  product_id: t.String(),
  name: t.Union([t.String(), t.Null()]),
  thumbnail_url: t.Union([t.String(), t.Null()]),
  reason: t.String({ description: 'One sentence in English.' }),
  data: FindingData,
})
export type ReportedProduct = typeof ReportedProduct.static

const Finding = t.Object({
  kind: oneOf(FINDING_KINDS),
  count: Type.Integer({ description: 'All products that it concerns.' }),
  products: t.Array(ReportedProduct, {
    description: 'The first 50 of them, without those that are gone by now.',
  }),
  text: t.String({ description: 'One sentence in English.' }),
})

export const CatalogueReport = named(
  'CatalogueReport',
  t.Object({
    state: t.Union([t.Literal('none'), t.Literal('waiting'), t.Literal('ready')], {
      description: '`none` before the first report; `waiting` while a newer one is being made.',
    }),
    made_at: t.Union([Moment, t.Null()]),
    products: Type.Integer({ description: 'How many products the report is about.' }),
    compared: Type.Integer({
      description:
        'How many of them had their picture compared with their category; the least of both at most 50,000.',
    }),
    findings: t.Array(Finding, { description: 'Without kinds of which nothing was found.' }),
  }),
)
export type CatalogueReport = typeof CatalogueReport.static

export const ReportAsked = t.Object({
  state: t.Literal('waiting'),
  made_at: t.Union([Moment, t.Null()], { description: 'When the present report was made.' }),
})

/** A request for a report may have no body. */
export const ReportBody = named('CatalogueReportRequest', t.Object({}), {})
