import type { FilterNode, SearchRule } from '#generated/api.ts'
import { formatMoment } from '../../language.ts'
import { OPERATORS, type Operator } from './draft.ts'
import { t } from './texts/texts.ts'

const isOperator = (name: string): name is Operator => (OPERATORS as readonly string[]).includes(name)

/** A condition in words; one that has no words as the API has it. */
function describeCondition(node: FilterNode): string {
  if (!('operator' in node) || !isOperator(node.operator)) return JSON.stringify(node)
  const value = Array.isArray(node.value) ? node.value.join(', ') : node.value
  return [node.field, t.operators[node.operator], value === undefined ? '' : String(value)]
    .filter(Boolean)
    .join(' ')
}

/** What one action does, in words. @param names of products, by their ids. */
export function describeAction(
  { action, product_id = '', position = 1, filters = [], strength = 2 }: SearchRule['then'][number],
  names: Readonly<Record<string, string>> = {},
): string {
  if (action === 'pin') return t.pins(names[product_id] ?? product_id, String(position))
  const what = [filters].flat().map(describeCondition).join(t.and)
  const move = action === 'boost' || action === 'bury' || action === 'hide' ? t.moves[action] : action
  return action === 'hide'
    ? `${move}: ${what}`
    : `${move} (${t.strengths[strength as keyof typeof t.strengths] ?? strength}): ${what}`
}

/** When a rule acts, in words. @param keys names of the widget keys, by their ids. */
export function describeWhen(
  { words, category, key_id, source, from, until }: SearchRule['when'],
  keys: Readonly<Record<string, string>> = {},
): string {
  const parts = [
    words && t.forWords(words.map((entry) => (entry.startsWith('"') ? entry : `“${entry}”`)).join(', ')),
    category !== undefined && `${t.category}: ${category}`,
    key_id !== undefined && `${t.key}: ${keys[key_id] ?? key_id}`,
    source && `${t.source}: ${t.sources[source]}`,
    from !== undefined && `${t.from} ${formatMoment(from)}`,
    until !== undefined && `${t.until} ${formatMoment(until)}`,
  ].filter(Boolean)
  return parts.length > 0 ? parts.join(' · ') : t.always
}
