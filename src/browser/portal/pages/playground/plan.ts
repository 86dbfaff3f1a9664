import type { StoreField, StoreSettings } from '#generated/api.ts'
import { hasFilters, type Question, type Settings, type Source } from './question.ts'

/** The searches of the API that take a body. */
export type SearchCall =
  | 'POST /v1/search/text'
  | 'POST /v1/search/url'
  | 'POST /v1/search/hybrid'
  | 'POST /v1/search/fusion'
  | 'POST /v1/search/multi-image'
  | 'POST /v1/search/crop'
  | 'POST /v1/search/filtered'

/** One search, before its pictures have ids. */
export type Plan =
  | { name: SearchCall; body: Record<string, unknown> }
  /** A whole photo alone, in a form. */
  | { name: 'POST /v1/search'; photo: Blob; body: Record<string, unknown> }
  | { name: 'GET /v1/products/{product_id}/similar'; id: string; body: Record<string, unknown> }

/** What the page knows of the store. */
export interface StoreFacts {
  fields: readonly StoreField[]
  /** Fields that shoppers never see. */
  privateFields: readonly string[]
  /** Where a widget shows what is sold out; null where the person may not see the settings. */
  soldOut: StoreSettings['sold_out']
  /** The currency of prices that name none. */
  currency: string | null
}

/** Converts a value that was picked to the type of the field. */
function toValue(fields: readonly StoreField[], name: string, text: string): unknown {
  const values = fields.find(({ field }) => field === name)?.values ?? []
  return values.find(({ value }) => String(value) === text)?.value ?? text
}

/** The parameters that every search takes. */
function planCommon(
  settings: Settings,
  { fields, privateFields, soldOut }: StoreFacts,
): Record<string, unknown> {
  const { view, cuts, secondLook, interprets, category, priceMin, priceMax, values } = settings
  const isShopper = view === 'shoppers'
  const conditions = Object.entries(values)
    .filter(([, text]) => text !== '')
    .map(([field, text]) => ({ field, operator: 'eq', value: toValue(fields, field, text) }))
  const isList = (name: string) => fields.find(({ field }) => field === name)?.type === 'list'
  for (const condition of conditions) if (isList(condition.field)) condition.operator = 'contains'
  return {
    cutoff: isShopper || cuts ? 'auto' : 'none',
    ...(isShopper && { group_by: 'variant_group' }),
    ...(isShopper &&
      privateFields.length > 0 && {
        fields: fields.map(({ field }) => field).filter((field) => !privateFields.includes(field)),
      }),
    ...(isShopper && soldOut !== null && { sold_out: soldOut }),
    ...(!secondLook && { second_look: false }),
    ...(!interprets && { interpret: false }),
    ...(category !== '' && { category }),
    ...(priceMin !== '' && { price_min: Number(priceMin) }),
    ...(priceMax !== '' && { price_max: Number(priceMax) }),
    ...(conditions.length > 0 && { filters: conditions }),
  }
}

/**
 * Chooses the search that fits a question. Each of the API's searches is reached by some question.
 *
 * @param refer names a picture in a body.
 * @returns null when there is nothing to look for.
 */
export function planSearch(
  { words: typed, pictures }: Question,
  settings: Settings,
  facts: StoreFacts,
  refer: (source: Source) => Record<string, unknown>,
): Plan | null {
  const common = planCommon(settings, facts)
  const { colors, weight, join, aggregation } = settings
  const words = typed.trim()
  const named = pictures.map(({ source, part }) => ({ ...refer(source), ...(part && { crop: part }) }))
  const [first] = pictures
  const [picture] = named
  if (pictures.length > 1)
    return { name: 'POST /v1/search/multi-image', body: { images: named, aggregation, ...common } }
  if (picture && words !== '' && colors.length === 0 && join === 'one')
    return {
      name: 'POST /v1/search/fusion',
      body: { ...picture, query: words, image_weight: weight, ...common },
    }
  if (colors.length > 0 || (picture && words !== ''))
    return {
      name: 'POST /v1/search/hybrid',
      body: {
        ...picture,
        ...(words !== '' && { query: words }),
        ...(colors.length > 0 && { colors }),
        ...(picture && words !== '' && { visual_weight: weight }),
        ...common,
      },
    }
  if (first?.part) return { name: 'POST /v1/search/crop', body: { ...picture, ...common } }
  switch (first?.source.kind) {
    case 'product':
      return { name: 'GET /v1/products/{product_id}/similar', id: first.source.id, body: common }
    case 'address':
      return { name: 'POST /v1/search/url', body: { ...picture, ...common } }
    case 'file':
      return { name: 'POST /v1/search', photo: first.source.blob, body: common }
  }
  if (words !== '') return { name: 'POST /v1/search/text', body: { query: words, ...common } }
  return hasFilters(settings) ? { name: 'POST /v1/search/filtered', body: common } : null
}

/** A value as a form or a query string carries it. */
export const toText = (value: unknown): string =>
  typeof value === 'object' ? JSON.stringify(value) : String(value)
