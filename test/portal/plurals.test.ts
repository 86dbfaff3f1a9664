import { expect, test } from 'bun:test'
import type { Language } from '../../src/browser/portal/languages.ts'
import { pluralsIn } from '../../src/browser/portal/texts/plurals.ts'

const WORDS: Readonly<Partial<Record<Language, [string, string, string?]>>> = {
  en: ['product', 'products'],
  fr: ['produit', 'produits'],
  pl: ['produkt', 'produkty', 'produktów'],
  pt: ['produto', 'produtos'],
}

test.each([
  ['en', 0, '0 products'],
  ['en', 1, '1 product'],
  ['en', '1', '1 product'],
  ['en', '1,001', '1,001 products'],
  ['fr', 0, '0 produit'],
  ['fr', '1', '1 produit'],
  ['fr', 2, '2 produits'],
  ['fr', '1 000 000', '1 000 000 produits'],
  ['pt', 0, '0 produtos'],
  ['pt', 1, '1 produto'],
  ['pl', 1, '1 produkt'],
  ['pl', 3, '3 produkty'],
  ['pl', 5, '5 produktów'],
  ['pl', 12, '12 produktów'],
  ['pl', '1\u00a0234', '1\u00a0234 produkty'],
  ['pl', 21, '21 produktów'],
] as const)('%s counts %p as %s', (language, count, words) => {
  const [one, several, many] = WORDS[language] as [string, string, string?]
  expect(pluralsIn(language).counted(count, one, several, many)).toBe(words)
})
