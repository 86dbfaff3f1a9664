import { toPaths } from './condition-queries.ts'

const OWN_VALUES: Readonly<Record<string, string>> = {
  product_id: 'json_quote(product_id)',
  is_demo: `CASE is_demo WHEN 1 THEN 'true' ELSE 'false' END`,
  created_at: 'created_at',
  indexed_at: 'indexed_at',
  updated_at: 'updated_at',
}

/** A field as JSON, or null. */
export function writeValue(field: string, parameter: string, values: Record<string, unknown>): string {
  const own = Object.hasOwn(OWN_VALUES, field) ? OWN_VALUES[field] : undefined
  if (own !== undefined) return own
  const name = field.startsWith('metadata.') ? field.slice('metadata.'.length) : field
  const paths = toPaths(name).map((path, n) => {
    values[`${parameter}_${n}`] = path
    return `metadata -> @${parameter}_${n}`
  })
  return paths.length === 1 ? `(${paths[0]})` : `coalesce(${paths.join(', ')})`
}

export const isPrice = (field: string): boolean => field === 'price' || field === 'metadata.price'

/** The price that is paid at a moment as JSON, or null. */
export function writePaid(now: number, values: Record<string, unknown>): string {
  values['now'] = BigInt(now)
  return `CASE WHEN sale IS NOT NULL AND coalesce(sale_from <= @now, 1) AND coalesce(sale_until > @now, 1)
    THEN metadata -> '$.sale_price' ELSE metadata -> '$.price' END`
}
