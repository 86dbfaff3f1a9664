import { isoTime } from '../../../core/clock.ts'
import { LIMITS } from '../../../core/limits.ts'
import { readIsoMoment } from '../../../core/moments.ts'
import { findNearest } from '../../../core/nearest.ts'
import type { Problem } from '../../../core/problem.ts'
import { validationError } from '../../../http/validation.ts'
import type { FilterService } from '../../catalogue/filters/service.ts'
import { type ListWords, readEntry } from './entries.ts'
import type { RuleRow } from './queries.ts'
import {
  isRuleAction,
  listMisfits,
  RULE_ACTIONS,
  type RuleAction,
  type RuleBody,
  type RuleConditions,
} from './schema.ts'

export interface RuleReaderDeps {
  parseFilters: FilterService['parse']
  listWords: ListWords
  /** Whether the store has a widget key. */
  hasKey(storeId: string, keyId: string): boolean
}

/** What a body says of a rule. */
export type RuleSettings = Pick<
  RuleRow,
  'name' | 'active' | 'conditions' | 'keyId' | 'startsAt' | 'endsAt' | 'actions'
>

const problem = (pointer: string, code: string, message: string): Problem => ({
  in: 'body',
  pointer,
  code,
  message,
})

/** Creates what checks a rule as no schema can. */
export function createRuleReader({ parseFilters, listWords, hasKey }: RuleReaderDeps) {
  function checkAction(action: RuleAction, at: string): Problem[] {
    if (!isRuleAction(action.action)) return [unknownAction(action.action, at)]
    const misfits = listMisfits(action).map(({ field, isMissing }) =>
      problem(
        `${at}/${field}`,
        isMissing ? 'required' : 'unknown',
        isMissing ? `is required by ${action.action}` : `does not belong to ${action.action}`,
      ),
    )
    if (misfits.length > 0 || action.filters === undefined) return misfits
    const { conditions } = parseFilters(action.filters, `${at}/filters`)
    // It would move every product of the store.
    return conditions > 0 ? [] : [problem(`${at}/filters`, 'min_items', 'must have at least one condition')]
  }

  function checkConditions(storeId: string, { words, key_id, from, until }: RuleConditions): Problem[] {
    const problems = (words ?? []).flatMap((entry, n) =>
      readEntry(listWords, entry)
        ? []
        : [problem(`/when/words/${n}`, 'words', `must have 1 to ${LIMITS.ruleEntryWordsMax} words`)],
    )
    if (key_id !== undefined && !hasKey(storeId, key_id))
      problems.push(problem('/when/key_id', 'unknown', 'must be the id of a widget key of this store'))
    const [startsAt, endsAt] = [readMoment(from), readMoment(until)]
    if (Number.isNaN(startsAt)) problems.push(problem('/when/from', 'format', NO_MOMENT))
    if (Number.isNaN(endsAt)) problems.push(problem('/when/until', 'format', NO_MOMENT))
    if (startsAt !== null && endsAt !== null && endsAt <= startsAt)
      problems.push(problem('/when/until', 'min', 'must be after from'))
    return problems
  }

  return {
    /** @throws ApiError `validation_error`, and the codes of filters. */
    read(storeId: string, { name, active = true, when = {}, then }: RuleBody): RuleSettings {
      const { words, category, key_id, source, from, until } = when
      const problems = [
        ...checkConditions(storeId, when),
        ...then.flatMap((action, n) => checkAction(action, `/then/${n}`)),
      ]
      if (problems.length > 0) throw validationError(problems)
      return {
        name,
        active,
        conditions: {
          ...(words && { words }),
          ...(category !== undefined && { category }),
          ...(source && { source }),
        },
        keyId: key_id ?? null,
        startsAt: readMoment(from),
        endsAt: readMoment(until),
        actions: JSON.stringify(then),
      }
    },
  }
}

/** The conditions of a rule, as clients see them. */
export const describeConditions = ({ conditions, keyId, startsAt, endsAt }: RuleRow): RuleConditions => ({
  ...conditions,
  ...(keyId !== null && { key_id: keyId }),
  ...(startsAt !== null && { from: isoTime(startsAt) }),
  ...(endsAt !== null && { until: isoTime(endsAt) }),
})

const NO_MOMENT = 'must be an existing date and time'

/** Unix ms; null where nothing is said, NaN for a moment that does not exist. */
const readMoment = (text: string | undefined): number | null =>
  text === undefined ? null : (readIsoMoment(text) ?? Number.NaN)

function unknownAction(name: string, at: string): Problem {
  const meant = findNearest(name, RULE_ACTIONS)
  const advice =
    meant === undefined ? `must be one of ${RULE_ACTIONS.join(', ')}` : `is unknown; did you mean '${meant}'?`
  return problem(`${at}/action`, 'enum', advice)
}
