import { foldLevel, listLevels } from '../../../core/category-path.ts'
import type { ActingRule } from '../search/arrangement.ts'
import { type Entry, type ListWords, listStems, readEntry } from './entries.ts'
import type { RuleRow } from './queries.ts'

/** What rules compare of a search. */
export interface SearchFacts {
  /** Its words; undefined without any. */
  words: string | undefined
  hasPicture: boolean
  /** The category that it asks for. */
  category: string | undefined
  /** The widget key that it comes with. */
  keyId: string | undefined
  /** Unix ms. */
  now: number
}

/** A rule that is switched on, as searches meet it. */
export interface MatchedRule {
  rule: ActingRule
  /** As JSON. */
  actions: string
  from: number
  until: number
  keyId: string | null
  category: string | undefined
  source: 'text' | 'picture' | undefined
}

/** An entry of a rule. */
interface Candidate {
  rule: number
  stems: readonly string[]
}

export interface RuleMatcher {
  rules: readonly MatchedRule[]
  /** Lists the places in `rules` of those that a search meets, in ascending order. */
  match(facts: SearchFacts): number[]
}

/**
 * Prepares a store's rules for its searches. A rule with words is found by one word of each entry, the one that fewest entries
 * have, so that the work follows the words of the query and not the number of rules.
 *
 * @param rows those that are switched on, oldest first.
 */
export function compileRules(rows: readonly RuleRow[], listWords: ListWords): RuleMatcher {
  const rules = rows.map(toMatched)
  const byStem = new Map<string, Candidate[]>()
  const byQuery = new Map<string, number[]>()
  const entriesOf = rows.map(({ conditions: { words } }) => words && readEntries(words, listWords))
  const frequencies = countStems(entriesOf)
  for (const [rule, entries] of entriesOf.entries())
    for (const { stems, isWhole } of entries ?? []) {
      if (isWhole) addTo(byQuery, stems.join(' '), rule)
      else addTo(byStem, findRarest(stems, frequencies), { rule, stems })
    }
  const hasWords = byStem.size > 0 || byQuery.size > 0
  /** By rule: the last search whose words it meets; that of a rule without words never ends. Matching is synchronous. */
  const metBy = Float64Array.from(entriesOf, (entries) => (entries ? 0 : Number.POSITIVE_INFINITY))
  let searches = 0

  function compareWords(text: string): void {
    const stems = listStems(listWords, text)
    const asked = new Set(stems)
    for (const rule of byQuery.get(stems.join(' ')) ?? []) metBy[rule] = searches
    for (const stem of stems)
      for (const { rule, stems: own } of byStem.get(stem) ?? [])
        if (metBy[rule] !== searches && (own.length === 1 || own.every((one) => asked.has(one))))
          metBy[rule] = searches
  }

  return {
    rules,
    match(facts) {
      searches++
      if (facts.words !== undefined && hasWords) compareWords(facts.words)
      const meets = createTest(facts)
      const met: number[] = []
      for (let rule = 0; rule < rules.length; rule++)
        if ((metBy[rule] as number) >= searches && meets(rules[rule] as MatchedRule)) met.push(rule)
      return met
    },
  }
}

/** Creates the test of all conditions but the words. */
function createTest({
  words,
  hasPicture,
  category,
  keyId,
  now,
}: SearchFacts): (rule: MatchedRule) => boolean {
  const levels =
    category === undefined ? undefined : new Set([foldLevel(category), ...listLevels([category]).keys()])
  return (rule) => {
    if (now < rule.from || now >= rule.until) return false
    if (rule.keyId !== null && rule.keyId !== keyId) return false
    if (rule.source === 'text' && words === undefined) return false
    if (rule.source === 'picture' && !hasPicture) return false
    return rule.category === undefined || levels?.has(rule.category) === true
  }
}

const toMatched = ({ id, name, actions, startsAt, endsAt, keyId, conditions }: RuleRow): MatchedRule => ({
  rule: { id, name },
  actions,
  from: startsAt ?? Number.NEGATIVE_INFINITY,
  until: endsAt ?? Number.POSITIVE_INFINITY,
  keyId,
  category: conditions.category === undefined ? undefined : foldLevel(conditions.category),
  source: conditions.source,
})

const readEntries = (words: readonly string[], listWords: ListWords): Entry[] =>
  words.map((entry) => readEntry(listWords, entry)).filter((entry) => entry !== undefined)

function countStems(entriesOf: readonly (readonly Entry[] | undefined)[]): Map<string, number> {
  const counts = new Map<string, number>()
  for (const entries of entriesOf)
    for (const { stems } of entries ?? [])
      for (const stem of stems) counts.set(stem, (counts.get(stem) ?? 0) + 1)
  return counts
}

const findRarest = (stems: readonly string[], counts: ReadonlyMap<string, number>): string =>
  stems.reduce((rarest, stem) => ((counts.get(stem) ?? 0) < (counts.get(rarest) ?? 0) ? stem : rarest))

function addTo<Key, Value>(lists: Map<Key, Value[]>, key: Key, value: Value): void {
  const list = lists.get(key)
  if (list) list.push(value)
  else lists.set(key, [value])
}
