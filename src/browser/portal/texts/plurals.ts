import type { Language } from '../languages.ts'

/** A whole number, or one as it is shown to people, such as `1,234`. */
type Count = number | string

/** The texts are European Portuguese, which says `0 produtos`; Brazilian would say `0 produto`. */
const tagOf = (language: Language): string => (language === 'pt' ? 'pt-PT' : language)

/**
 * Makes the two functions with which the texts of a language count things. Which form a number takes is for the browser to know:
 * French says `0 produit`, Polish `1 produkt`, `3 produkty` and `5 produktów`.
 */
export function pluralsIn(language: Language) {
  const rules = new Intl.PluralRules(tagOf(language))

  /**
   * Picks the form of a word or sentence that a count asks for.
   *
   * @param several the form of all other numbers; in Polish that of 2, 3, 4, 22 and so on.
   * @param many the form of the rest, in languages that have a third one.
   */
  function plural(count: Count, one: string, several: string, many = several): string {
    const form = rules.select(typeof count === 'number' ? count : Number(count.replaceAll(/\D/g, '')))
    if (form === 'one') return one
    return form === 'many' ? many : several
  }

  /** The count with the word in its form. */
  const counted = (count: Count, one: string, several: string, many = several): string =>
    `${count} ${plural(count, one, several, many)}`

  return { plural, counted }
}
