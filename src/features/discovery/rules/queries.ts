import type { Db } from '../../../platform/db/open.ts'
import type { RuleAction, StoredConditions } from './schema.ts'

/** A rule. Times are Unix ms. */
export interface RuleRow {
  id: string
  storeId: string
  name: string
  active: boolean
  conditions: StoredConditions
  keyId: string | null
  startsAt: number | null
  endsAt: number | null
  /** As JSON: it may be long, and a rule that does not act is not read. */
  actions: string
  createdAt: number
  updatedAt: number
}

export interface CountedRule extends RuleRow {
  uses: number
  clicks: number
}

type Stored<Row> = Omit<Row, 'active' | 'conditions'> & { active: 0 | 1; conditions: string }

export type RuleQueries = ReturnType<typeof ruleQueries>

const COLUMNS = `id, search_rules.store_id AS storeId, name, active, conditions, key_id AS keyId, starts_at AS startsAt, ends_at AS endsAt,
  actions, created_at AS createdAt, updated_at AS updatedAt`
const COUNTS = 'coalesce(uses, 0) AS uses, coalesce(clicks, 0) AS clicks'
const COUNTED = `search_rules INDEXED BY search_rules_of_store LEFT JOIN search_rule_counts ON rule_id = id`

/** All SQL about rules. */
export function ruleQueries(db: Db) {
  const page = db.prepare<
    { storeId: string; createdAt: number; id: string; limit: bigint },
    Stored<CountedRule>
  >(`
    SELECT ${COLUMNS}, ${COUNTS} FROM ${COUNTED}
    WHERE search_rules.store_id = @storeId AND (created_at, id) > (@createdAt, @id) ORDER BY created_at, id LIMIT @limit`)
  const one = db.prepare<[storeId: string, id: string], Stored<CountedRule>>(`
    SELECT ${COLUMNS}, ${COUNTS} FROM search_rules LEFT JOIN search_rule_counts ON rule_id = id
    WHERE search_rules.store_id = ? AND id = ?`)
  const active = db.prepare<[storeId: string], Stored<RuleRow>>(`
    SELECT ${COLUMNS} FROM search_rules INDEXED BY search_rules_of_store
    WHERE store_id = ? AND active = 1 ORDER BY created_at, id`)
  const size = db.prepare<[storeId: string], { rules: number; bytes: number }>(`
    SELECT count(*) AS rules, coalesce(sum(length(CAST(conditions AS BLOB)) + length(CAST(actions AS BLOB))), 0) AS bytes
    FROM search_rules INDEXED BY search_rules_of_store WHERE store_id = ?`)
  const insert = db.prepare(`
    INSERT INTO search_rules (id, store_id, name, active, conditions, key_id, starts_at, ends_at, actions, created_at, updated_at)
    VALUES (@id, @storeId, @name, @active, @conditions, @keyId, @startsAt, @endsAt, @actions, @createdAt, @updatedAt)`)
  const update = db.prepare(`
    UPDATE search_rules SET name = @name, active = @active, conditions = @conditions, key_id = @keyId, starts_at = @startsAt,
      ends_at = @endsAt, actions = @actions, updated_at = @updatedAt
    WHERE store_id = @storeId AND id = @id`)
  const remove = db.prepare('DELETE FROM search_rules WHERE store_id = ? AND id = ?')
  // A rule may have been deleted since the search.
  const count = db.prepare<{ storeId: string; ids: string; uses: bigint; clicks: bigint }>(`
    INSERT INTO search_rule_counts (rule_id, store_id, uses, clicks)
    SELECT id, store_id, @uses, @clicks FROM search_rules WHERE store_id = @storeId AND id IN (SELECT value FROM json_each(@ids))
    ON CONFLICT DO UPDATE SET uses = uses + excluded.uses, clicks = clicks + excluded.clicks`)
  const known = db
    .prepare<{ storeId: string; ids: string }, string>(`
    SELECT product_id FROM json_each(@ids) CROSS JOIN products ON store_id = @storeId AND product_id = value`)
    .pluck()

  return {
    /** Oldest first, behind a rule. */
    listPage: (storeId: string, after: { createdAt: number; id: string }, limit: number): CountedRule[] =>
      page.all({ storeId, ...after, limit: BigInt(limit) }).map(read),
    find(storeId: string, id: string): CountedRule | undefined {
      const row = one.get(storeId, id)
      return row && read(row)
    },
    /** Those that are switched on, oldest first. */
    listActive: (storeId: string): RuleRow[] => active.all(storeId).map(read),
    /** The rules of a store, and the bytes of their JSON. */
    measure: (storeId: string) => size.get(storeId) ?? { rules: 0, bytes: 0 },
    add: (row: RuleRow): void => void insert.run(written(row)),
    update: (row: RuleRow): void => void update.run(written(row)),
    remove: (storeId: string, id: string): void => void remove.run(storeId, id),
    /** Counts a search in which some rules acted, or a click on a product that they had moved. */
    count: (storeId: string, ids: readonly string[], of: 'uses' | 'clicks'): void =>
      void count.run({
        storeId,
        ids: JSON.stringify(ids),
        uses: of === 'uses' ? 1n : 0n,
        clicks: of === 'clicks' ? 1n : 0n,
      }),
    /** Filters some product ids for those that the store has. */
    findProducts: (storeId: string, ids: readonly string[]): Set<string> =>
      new Set(known.all({ storeId, ids: JSON.stringify(ids) })),
  }
}

const read = <Row extends RuleRow>(row: Stored<Row>) =>
  ({
    ...row,
    active: row.active === 1,
    conditions: JSON.parse(row.conditions) as StoredConditions,
  }) as unknown as Row

const written = ({ id, storeId, name, keyId, startsAt, endsAt, actions, ...row }: RuleRow) => ({
  ...{ id, storeId, name, keyId, startsAt, endsAt, actions },
  active: row.active ? 1 : 0,
  conditions: JSON.stringify(row.conditions),
  createdAt: row.createdAt,
  updatedAt: row.updatedAt,
})

export const readActions = (actions: string): RuleAction[] => JSON.parse(actions) as RuleAction[]
