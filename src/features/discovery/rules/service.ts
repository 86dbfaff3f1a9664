import { Type } from '@sinclair/typebox'
import type { Actor } from '../../../core/actor.ts'
import { describeAct } from '../../../core/audit.ts'
import { ApiError, notFound } from '../../../core/errors.ts'
import { LIMITS } from '../../../core/limits.ts'
import { demandVersion, versionTag } from '../../../http/if-match.ts'
import { CursorId, createCursors } from '../../../http/paging.ts'
import type { Base } from '../../module.ts'
import type { CountedRule, RuleQueries, RuleRow } from './queries.ts'
import type { RuleSettings } from './reading.ts'
import type { DeletedRule, RuleBody, RuleQuery, SearchRule, SearchRuleList } from './schema.ts'
import { createRuleViews, type RuleViewDeps } from './views.ts'

export interface RuleDeps extends RuleViewDeps, Pick<Base, 'ids' | 'atomically' | 'record'> {
  queries: RuleQueries
  /** @throws ApiError `validation_error`, and the codes of filters. */
  readBody(storeId: string, body: RuleBody): RuleSettings
  /** The rules of the store have changed. */
  changed(storeId: string): void
  /** Writes what is still counted in memory. */
  flush(storeId: string): void
}

export type RuleService = ReturnType<typeof ruleService>

const cursors = createCursors({ list: 'search-rules' }, { createdAt: Type.Integer(), id: CursorId })

/** Rules of stores, as clients see and set them. `arranging.ts` is what searches see of them. */
export function ruleService(deps: RuleDeps) {
  const { queries, readBody, changed, flush, clock, ids, atomically, record } = deps
  const { viewOne, viewAll, withWarnings } = createRuleViews(deps)

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
      const rules = await viewAll(storeId, rows)
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

/** For the audit log. */
const detailsOf = ({ id, name, active }: RuleRow) => ({ id, name, active })
