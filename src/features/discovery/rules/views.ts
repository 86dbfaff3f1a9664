import { isoTime } from '../../../core/clock.ts'
import { ApiError } from '../../../core/errors.ts'
import type { Turn } from '../../../core/turns.ts'
import type { FilterService } from '../../catalogue/filters/service.ts'
import type { Base } from '../../module.ts'
import { type CountedRule, type RuleQueries, type RuleRow, readActions } from './queries.ts'
import { describeConditions } from './reading.ts'
import type { RuleAction, RuleFault, RuleState, SearchRule } from './schema.ts'

export interface RuleViewDeps extends Pick<Base, 'clock'> {
  queries: Pick<RuleQueries, 'findProducts'>
  filters: Pick<FilterService, 'parse' | 'resolve'>
  /** Whether the store has a widget key. */
  hasKey(storeId: string, keyId: string): boolean
  turn: Turn
}

/** Rules whose filters are looked at in one step. */
const SHOWN_AT_ONCE = 16
const WARNINGS_MAX = 10

/** Creates what shows rules to clients, with what of them does nothing. */
export function createRuleViews({ queries, filters, hasKey, turn, clock }: RuleViewDeps) {
  function listFaults({ storeId, keyId }: RuleRow, actions: readonly RuleAction[]): RuleFault[] {
    const faults: RuleFault[] =
      keyId === null || hasKey(storeId, keyId)
        ? []
        : [{ pointer: '/when/key_id', message: 'The widget key is gone, so no search meets this rule' }]
    for (const [n, { filters: input }] of actions.entries()) {
      const pointer = `/then/${n}/filters`
      if (input === undefined) continue
      try {
        filters.parse(input, pointer)
      } catch (error) {
        if (!(error instanceof ApiError)) throw error
        faults.push({ pointer, message: error.message })
      }
    }
    return faults
  }

  function view(row: CountedRule, actions: RuleAction[], known: ReadonlySet<string>): SearchRule {
    const pinned = new Set(listPinned(actions))
    return {
      id: row.id,
      name: row.name,
      active: row.active,
      state: stateOf(row, clock.now()),
      when: describeConditions(row),
      then: actions,
      missing: [...pinned].filter((id) => !known.has(id)),
      faults: listFaults(row, actions),
      uses: row.uses,
      clicks: row.clicks,
      created_at: isoTime(row.createdAt),
      updated_at: isoTime(row.updatedAt),
    }
  }

  function viewOne(row: CountedRule): SearchRule {
    const actions = readActions(row.actions)
    return view(row, actions, queries.findProducts(row.storeId, listPinned(actions)))
  }

  /** Adds what the filters of a rule ask for in vain. */
  async function withWarnings(storeId: string, rule: SearchRule): Promise<SearchRule> {
    const warnings: string[] = []
    const broken = new Set(rule.faults.map(({ pointer }) => pointer))
    for (const [n, { filters: input }] of rule.then.entries()) {
      const pointer = `/then/${n}/filters`
      if (input === undefined || broken.has(pointer) || warnings.length >= WARNINGS_MAX) continue
      const found = await filters.resolve(storeId, filters.parse(input, pointer))
      warnings.push(
        ...found.warnings.map((warning) => `${pointer.slice(1).replaceAll('/', '.')}: ${warning}`),
      )
    }
    return { ...rule, ...(warnings.length > 0 && { warnings: warnings.slice(0, WARNINGS_MAX) }) }
  }

  /** Shows many rules of a store, in steps. */
  async function viewAll(storeId: string, rows: readonly CountedRule[]): Promise<SearchRule[]> {
    const rules: SearchRule[] = []
    for (let from = 0; from < rows.length; from += SHOWN_AT_ONCE) {
      if (from > 0) await turn()
      const read = rows
        .slice(from, from + SHOWN_AT_ONCE)
        .map((row) => ({ row, actions: readActions(row.actions) }))
      const known = queries.findProducts(
        storeId,
        read.flatMap(({ actions }) => listPinned(actions)),
      )
      rules.push(...read.map(({ row, actions }) => view(row, actions, known)))
    }
    return rules
  }

  return { viewOne, viewAll, withWarnings }
}

const listPinned = (actions: readonly RuleAction[]): string[] =>
  actions.flatMap(({ action, product_id }) =>
    action === 'pin' && product_id !== undefined ? [product_id] : [],
  )

/** @param now Unix ms. */
function stateOf({ active, startsAt, endsAt }: RuleRow, now: number): RuleState {
  if (!active) return 'inactive'
  if (endsAt !== null && now >= endsAt) return 'ended'
  return startsAt !== null && now < startsAt ? 'scheduled' : 'active'
}
