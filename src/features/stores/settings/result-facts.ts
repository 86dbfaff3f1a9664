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
  const fillAddress = createAddressFiller({ shop_url, product_url_template })
  if (!fillAddress && currency === null) return undefined
  return (productId, metadata, fields) => {
    const asksFor = (key: string) =>
      (fields === undefined || fields.includes(key)) && isMissing(metadata, key)
    const url = asksFor('url') ? fillAddress?.(productId, metadata) : undefined
    const hasCurrency = currency === null || !asksFor('currency')
    if (url === undefined && hasCurrency) return metadata
    return {
      ...metadata,
      ...(url !== undefined && { url }),
      ...(!hasCurrency && { currency }),
    }
  }
}

/** Creates what writes the addresses of a store's products; undefined if the settings give none. */
export function createAddressFiller({
  shop_url,
  product_url_template,
}: Pick<OwnSettings, 'shop_url' | 'product_url_template'>) {
  const template = product_url_template === null ? undefined : parseTemplate(product_url_template)
  if (!template || !isTemplate(template)) return undefined
  const base = template.isPath ? shop_url : ''
  if (base === null) return undefined
  return (productId: string, metadata: Readonly<Metadata>): string | undefined => {
    const path = template.fill(productId, metadata)
    return path === undefined ? undefined : `${base}${path}`
  }
}

function isMissing(metadata: Metadata, key: string): boolean {
  const value = Object.hasOwn(metadata, key) ? metadata[key] : undefined
  return value === undefined || value === null || value === ''
}
