import type { Interpreted } from '#generated/api.ts'
import { formatMoney } from '../../language.ts'
import type { StoreFacts } from './plan.ts'
import { t } from './texts/texts.ts'

/** What was understood of the words of a query, in words of its own. What everybody understands needs none. */
function listUnderstood(
  { price_min, price_max, colors = [], without = [], words }: Interpreted,
  currency: string | null,
): string[] {
  const money = (amount: number) => formatMoney(amount, currency ?? undefined)
  const translated = words.flatMap(({ word, as }) =>
    as !== undefined && as !== word ? [`${word} → ${as}`] : [],
  )
  const told = new Set(words.flatMap(({ word, as }) => [word, as]))
  return [
    ...(price_min === undefined ? [] : [t.above(money(price_min))]),
    ...(price_max === undefined ? [] : [t.below(money(price_max))]),
    ...without.map((word) => t.without(word)),
    ...colors.filter((color) => !told.has(color)),
    ...translated,
    ...words.flatMap(({ word, known }) => (known === 'no' ? [t.nobodyKnows(word)] : [])),
  ]
}

/** The same as a line of small chips, with the way to have the words taken as they are. */
export function InterpretedWords({
  interpreted,
  facts,
  onLiteral,
}: {
  interpreted: Interpreted
  facts: StoreFacts
  onLiteral(): void
}) {
  const texts = listUnderstood(interpreted, facts.currency)
  if (texts.length === 0) return null
  return (
    <div class="told interpreted">
      <ul aria-label={t.understoodAs}>
        {texts.map((text) => (
          <li key={text} dir="auto">
            {text}
          </li>
        ))}
      </ul>
      <button type="button" class="link" onClick={onLiteral}>
        {t.literally}
      </button>
    </div>
  )
}
