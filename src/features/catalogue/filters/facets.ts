import { isoTime } from '../../../core/clock.ts'
import { LIMITS } from '../../../core/limits.ts'
import { fold, isLongerThan } from '../../../core/text.ts'

export interface FacetCount {
  value: string | number | boolean
  count: number
}

/** The most frequent values of a field, or the range of one that has only numbers or only times. */
export type Facet = FacetCount[] | { min: number | string; max: number | string }

/** Different values of one field that are counted; later ones are left out. */
const VALUES_MAX = 10_000
/** JSON texts that are gathered before they are read, and their characters: most products share theirs with others. */
const PENDING_MAX = 2_000
const PENDING_CHARS_MAX = 1024 * 1024

const TIMES: readonly string[] = ['created_at', 'indexed_at', 'updated_at']

/** Counts the values of one field. */
export function createFacetCounter(field: string) {
  const isTime = TIMES.includes(field)
  const pending = new Map<string, number>()
  let pendingChars = 0
  const numbers = new Map<number, number>()
  const booleans = new Map<boolean, number>()
  /** By the folded text: how often each spelling occurs. */
  const texts = new Map<string, { spelled: Map<string, number>; count: number }>()
  let [min, max] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY]

  function addValue(value: unknown, times: number): void {
    if (typeof value === 'number') {
      min = Math.min(min, value)
      max = Math.max(max, value)
      if (!isTime) bump(numbers, value, times)
    } else if (typeof value === 'boolean') bump(booleans, value, times)
    else if (typeof value === 'string') addText(value, times)
  }

  function addText(text: string, times: number): void {
    if (isLongerThan(text, LIMITS.filterTextCharsMax)) return
    const key = fold(text)
    if (key === '') return
    const known = texts.get(key)
    if (known) {
      known.count += times
      // Spellings are few; whoever has more is shown one of the first.
      if (known.spelled.has(text) || known.spelled.size < 10) {
        known.spelled.set(text, (known.spelled.get(text) ?? 0) + times)
      }
    } else if (texts.size < VALUES_MAX) texts.set(key, { spelled: new Map([[text, times]]), count: times })
  }

  function flush(): void {
    for (const [json, times] of pending) {
      const value: unknown = JSON.parse(json)
      if (!Array.isArray(value)) addValue(value, times)
      // A product counts once for each of its values.
      else for (const element of uniqueBy(value)) addValue(element, times)
    }
    pending.clear()
    pendingChars = 0
  }

  return {
    /** @param json the field of one product; null where it has none, a number for times. */
    add(json: string | number | null): void {
      if (json === null) return
      if (typeof json === 'number') {
        addValue(json, 1)
        return
      }
      const times = pending.get(json)
      pending.set(json, (times ?? 0) + 1)
      if (times === undefined) pendingChars += json.length
      if (pending.size >= PENDING_MAX || pendingChars >= PENDING_CHARS_MAX) flush()
    },

    finish(): Facet {
      flush()
      if (min <= max && texts.size === 0 && booleans.size === 0) {
        return isTime ? { min: isoTime(min), max: isoTime(max) } : { min, max }
      }
      const counts: FacetCount[] = [
        ...[...texts.values()].map(({ spelled, count }) => ({ value: findMostFrequent(spelled), count })),
        ...[...numbers].map(([value, count]) => ({ value, count })),
        ...[...booleans].map(([value, count]) => ({ value, count })),
      ]
      return counts
        .sort((a, b) => b.count - a.count || (String(a.value) < String(b.value) ? -1 : 1))
        .slice(0, LIMITS.facetValuesShown)
    },
  }
}

function bump<Key>(counts: Map<Key, number>, key: Key, times: number): void {
  const known = counts.get(key)
  if (known !== undefined || counts.size < VALUES_MAX) counts.set(key, (known ?? 0) + times)
}

/** A list's values, each once; texts that differ in case and accents only are one. */
function uniqueBy(values: readonly unknown[]): Iterable<unknown> {
  const unique = new Map<unknown, unknown>()
  for (const value of values) {
    const key = typeof value === 'string' ? `"${fold(value)}` : value
    if (!unique.has(key)) unique.set(key, value)
  }
  return unique.values()
}

function findMostFrequent(spelled: ReadonlyMap<string, number>): string {
  let best: [string, number] = ['', 0]
  for (const one of spelled) if (one[1] > best[1]) best = one
  return best[0]
}
