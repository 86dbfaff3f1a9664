import { LIMITS } from '../../../core/limits.ts'
import { createConditionReader } from './conditions.ts'
import { createFailures } from './failures.ts'
import { EVERYTHING, type Filter, type Node } from './filter.ts'

const GROUP_KEYS = ['must', 'should', 'must_not', 'min_should'] as const
const LISTS = ['must', 'should', 'must_not'] as const

/**
 * Reads a filter: a list of conditions and groups that all hold, or one group.
 *
 * @param input as it was sent; undefined lets every product pass.
 * @param pointer the JSON pointer of the input in its request.
 * @throws ApiError `filter_operator_unknown`, `filter_type_mismatch`, or `validation_error` for everything else.
 */
export function parseFilters(input: unknown, pointer: string): Filter {
  if (input === undefined) return EVERYTHING
  const fail = createFailures()
  const conditions = createConditionReader(fail)

  function readItem(item: unknown, at: string, depth: number): Node {
    if (!isObject(item)) throw fail.invalid(at, 'type', 'must be a condition or a group', ['object'])
    const isCondition = 'operator' in item || 'field' in item || 'value' in item
    return isCondition ? conditions.read(item, at) : readGroup(item, at, depth)
  }

  function readList(list: unknown, at: string, depth: number): Node[] {
    if (!Array.isArray(list)) throw fail.invalid(at, 'type', 'must be a list of conditions', ['array'])
    // Each item is a condition or holds one, so more would be refused below; this is earlier.
    if (list.length > LIMITS.filterConditionsMax) throw conditions.tooMany(at)
    return list.map((item, n) => readItem(item, `${at}/${n}`, depth))
  }

  function readGroup(group: Record<string, unknown>, at: string, depth: number): Node {
    if (depth > LIMITS.filterDepthMax) {
      throw fail.invalid(at, 'too_deep', `must not be nested deeper than ${LIMITS.filterDepthMax} levels`)
    }
    for (const key in group) {
      if (!(GROUP_KEYS as readonly string[]).includes(key)) {
        throw fail.invalid(`${at}/${fail.token(key)}`, 'unknown', 'is unknown in a group', GROUP_KEYS)
      }
    }
    const before = conditions.count()
    const [must = [], should = [], mustNot = []] = LISTS.map((name) =>
      group[name] === undefined ? [] : readList(group[name], `${at}/${name}`, depth + 1),
    )
    // An empty group would let everything pass, which nobody means by one.
    if (depth > 1 && conditions.count() === before) {
      throw fail.invalid(at, 'min_items', 'must have a condition', LISTS)
    }
    const min = readMinimum(group['min_should'], should.length, `${at}/min_should`)
    return {
      all: [
        ...must,
        ...(should.length > 0 ? [{ some: should, min }] : []),
        ...mustNot.map((node) => ({ not: node })),
      ],
    }
  }

  function readMinimum(min: unknown, alternatives: number, at: string): number {
    if (min === undefined) return 1
    if (Number.isInteger(min) && (min as number) >= 1 && (min as number) <= alternatives) return min as number
    const message =
      alternatives === 0
        ? 'needs conditions in should'
        : `must be an integer from 1 to ${alternatives}, the number of conditions in should`
    throw fail.invalid(at, 'range', message)
  }

  let root: Node
  if (Array.isArray(input)) root = { all: readList(input, pointer, 2) }
  else if (isObject(input)) root = readGroup(input, pointer, 1)
  else throw fail.invalid(pointer, 'type', 'must be a list of conditions or a group', ['array', 'object'])
  return { root, conditions: conditions.count() }
}

/** Refuses a filter without a condition. @throws ApiError `validation_error` */
export function requireConditions(filter: Filter, pointer: string): void {
  if (filter.conditions > 0) return
  throw createFailures().invalid(pointer, 'min_items', 'must have at least one condition')
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
