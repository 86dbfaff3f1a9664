import { isTemplate, parseTemplate } from './address-template.ts'
import type { OwnSettings } from './schema.ts'

type Metadata = Record<string, unknown>

/**
 * Adds to a result the facts that hold for all products of its store (contract 4.13): the address of the product's page and
 * the currency of its price. The product's own values win.
 *
 * @param fields the only keys that are asked for; undefined for all.
 */
export type FillFacts = (productId: string, metadata: Metadata, fields?: readonly string[]) => Metadata

/** Creates what fills in the facts of a store; undefined if there is nothing to fill in. */
export function createFillFacts({
  shop_url,
  product_url_template,
  currency,
}: Pick<OwnSettings, 'shop_url' | 'product_url_template' | 'currency'>): FillFacts | undefined {
  const parsed = product_url_template === null ? undefined : parseTemplate(product_url_template)
  const template = parsed && isTemplate(parsed) ? parsed : undefined
  const base = template?.isPath ? shop_url : ''
  if ((!template || base === null) && currency === null) return undefined
  return (productId, metadata, fields) => {
    const asksFor = (key: string) =>
      (fields === undefined || fields.includes(key)) && isMissing(metadata, key)
    const path = base !== null && asksFor('url') ? template?.fill(productId, metadata) : undefined
    const hasCurrency = currency === null || !asksFor('currency')
    if (path === undefined && hasCurrency) return metadata
    return {
      ...metadata,
      ...(path !== undefined && { url: `${base}${path}` }),
      ...(!hasCurrency && { currency }),
    }
  }
}

function isMissing(metadata: Metadata, key: string): boolean {
  const value = Object.hasOwn(metadata, key) ? metadata[key] : undefined
  return value === undefined || value === null || value === ''
}
