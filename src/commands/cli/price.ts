/** Formats the price to pay, with the price before a sale, or the range of several variants. */
export function formatPrice({ price, sale_price, price_max, currency }: Record<string, unknown>): string {
  if (typeof price !== 'number') return ''
  const isSale = typeof sale_price === 'number' && sale_price < price
  const paid = `${isSale ? sale_price : price} ${currency ?? ''}`.trim()
  if (isSale) return `${paid} (was ${price})`
  return typeof price_max === 'number' && price_max > price ? `${paid} to ${price_max}` : paid
}
