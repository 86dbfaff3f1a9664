import { Type } from '@sinclair/typebox'
import type { Actor } from '../../../core/actor.ts'
import { describeAct } from '../../../core/audit.ts'
import { isoTime } from '../../../core/clock.ts'
import { ApiError, notFound } from '../../../core/errors.ts'
import { LIMITS } from '../../../core/limits.ts'
import type { Turn } from '../../../core/turns.ts'
import { demandVersion, versionTag } from '../../../http/if-match.ts'
import { CursorId, createCursors } from '../../../http/paging.ts'
import type { FilterService } from '../../catalogue/filters/service.ts'
import type { Base } from '../../module.ts'
import { type CountedRule, type RuleQueries, type RuleRow, readActions } from './queries.ts'
import { describeConditions, type RuleSettings } from './reading.ts'
import type {
  DeletedRule,
  RuleAction,
  RuleBody,
  RuleFault,
  RuleQuery,
  RuleState,
  SearchRule,
  SearchRuleList,
} from './schema.ts'

export interface RuleDeps extends Pick<Base, 'clock' | 'ids' | 'atomically' | 'record'> {
  queries: RuleQueries
  filters: Pick<FilterService, 'parse' | 'resolve'>
  /** @throws ApiError `validation_error`, and the codes of filters. */
  readBody(storeId: string, body: RuleBody): RuleSettings
  hasKey(storeId: string, keyId: string): boolean
  /** The rules of the store have changed. */
  changed(storeId: string): void
  /** Writes what is still counted in memory. */
  flush(storeId: string): void
  turn: Turn
}

export type RuleService = ReturnType<typeof ruleService>

/** Rules whose filters are looked at in one step. */
const SHOWN_AT_ONCE = 16
const WARNINGS_MAX = 10

const cursors = createCursors({ list: 'search-rules' }, { createdAt: Type.Integer(), id: CursorId })

/** Rules of stores, as clients see and set them. `arranging.ts` is what searches see of them. */
export function ruleService(deps: RuleDeps) {
  const { queries, filters, readBody, hasKey, changed, flush, turn, clock, ids, atomically, record } = deps

  /** @throws ApiError `not_found`, also for a rule of another store. */
  function findOwned(storeId: string, id: string): CountedRule {
    const row = queries.find(storeId, id)
    if (!row) throw notFound('search rule')
    return row
  }

  /** @throws ApiError `conflict`. @param more bytes that join those of the store. */
  function demandRoom(storeId: string, { rules, bytes }: { rules: number; bytes: number }): void {
    const now = queries.measure(storeId)
    if (now.rules + rules > LIMITS.rulesPerStore)
      throw new ApiError('conflict', `A store may have ${LIMITS.rulesPerStore} rules`, {
        details: { limit: LIMITS.rulesPerStore },
      })
    if (now.bytes + bytes > LIMITS.rulesBytesMax)
      throw new ApiError(
        'conflict',
        `The rules of a store may have ${LIMITS.rulesBytesMax} bytes of JSON together`,
        {
          details: { limit_bytes: LIMITS.rulesBytesMax },
        },
      )
  }

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
      // biome-ignore lint/suspicious/noThenProperty: the name is part of the public API
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

  return {
    /**
     * @throws ApiError `validation_error` and the codes of filters; `conflict` where the store has as many rules, or bytes of
     *   them, as it may.
     */
    create(actor: Actor, body: RuleBody): Promise<SearchRule> {
      const { storeId } = actor
      const settings = readBody(storeId, body)
      const now = clock.now()
      const row: RuleRow = { id: ids.uuid(), storeId, ...settings, createdAt: now, updatedAt: now }
      atomically(() => {
        demandRoom(storeId, { rules: 1, bytes: bytesOf(row) })
        queries.add(row)
        record(describeAct(actor, 'search_rule.created', detailsOf(row)))
      })
      changed(storeId)
      return withWarnings(storeId, viewOne({ ...row, uses: 0, clicks: 0 }))
    },

    /** Lists the rules of a store, oldest first. */
    async list(storeId: string, { limit = 100, cursor }: RuleQuery): Promise<SearchRuleList> {
      const after = cursors.read(cursor) ?? { createdAt: -1, id: '' }
      flush(storeId)
      const found = queries.listPage(storeId, after, limit + 1)
      const { rows, nextCursor } = cursors.page(found, limit, ({ createdAt, id }) => ({ createdAt, id }))
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
      return { rules, count: rules.length, next_cursor: nextCursor }
    },

    /** @throws ApiError `not_found`. */
    read(storeId: string, id: string): Promise<SearchRule> {
      flush(storeId)
      return withWarnings(storeId, viewOne(findOwned(storeId, id)))
    },

    /**
     * Replaces a rule; its counts stay.
     *
     * @throws ApiError `not_found`, `conflict`, and those of {@link create}.
     */
    replace(actor: Actor, id: string, body: RuleBody, ifMatch: string | null = null): Promise<SearchRule> {
      const { storeId } = actor
      findOwned(storeId, id)
      const settings = readBody(storeId, body)
      flush(storeId)
      const updated = atomically(() => {
        const before = findOwned(storeId, id)
        demandVersion(ifMatch, tagOf(viewOne(before)))
        const row = { ...before, ...settings, updatedAt: clock.now() }
        demandRoom(storeId, { rules: 0, bytes: bytesOf(row) - bytesOf(before) })
        queries.update(row)
        record(describeAct(actor, 'search_rule.updated', detailsOf(row)))
        return row
      })
      changed(storeId)
      return withWarnings(storeId, viewOne(updated))
    },

    /** @throws ApiError `not_found`. */
    remove(actor: Actor, id: string): DeletedRule {
      const { storeId } = actor
      atomically(() => {
        const row = findOwned(storeId, id)
        queries.remove(storeId, id)
        record(describeAct(actor, 'search_rule.deleted', detailsOf(row)))
      })
      changed(storeId)
      return { status: 'deleted', id }
    },
  }
}

/** The version of what a form about a rule shows. */
export const tagOf = ({ name, active, when, then }: SearchRule): string =>
  versionTag([name, active, when, then])

const bytesOf = ({ conditions, actions }: RuleRow): number =>
  Buffer.byteLength(JSON.stringify(conditions)) + Buffer.byteLength(actions)

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

/** For the audit log. */
const detailsOf = ({ id, name, active }: RuleRow) => ({ id, name, active })
