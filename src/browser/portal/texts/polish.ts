const RULES = new Intl.PluralRules('pl')

/**
 * Picks the form of a word that follows a count: 1 produkt, 3 produkty, 5 produktów.
 * @param count A whole number, or one as it is shown to people, such as `1 234`.
 */
export function plural(count: number | string, one: string, few: string, many: string): string {
  const form = RULES.select(Number(String(count).replaceAll(/\D/g, '')))
  if (form === 'one') return one
  return form === 'few' ? few : many
}

/** The count with the word in its form. */
export const counted = (count: number | string, one: string, few: string, many: string): string =>
  `${count} ${plural(count, one, few, many)}`
