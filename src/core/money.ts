/** Digits after the point in amounts of a currency: 2 of USD, 0 of JPY. @param currency ISO 4217. */
const countDecimals = (currency: string): number =>
  new Intl.NumberFormat('en', { style: 'currency', currency }).resolvedOptions().maximumFractionDigits ?? 2

/** An amount in the units of its currency. @param minor in the smallest unit, such as cents. */
export const toAmount = (minor: number, currency: string): number => minor / 10 ** countDecimals(currency)

/** An amount in the smallest unit of its currency. */
export const toMinor = (amount: number, currency: string): number =>
  Math.round(amount * 10 ** countDecimals(currency))

/** Writes an amount for people, as in `29.99 USD`. @param minor in the smallest unit. */
export const formatAmount = (minor: number, currency: string): string =>
  `${toAmount(minor, currency).toFixed(countDecimals(currency))} ${currency}`
