import type { Db } from '../../../platform/db/open.ts'
import { LISTED_TYPES } from '../search-log/schema.ts'

/** A place in one list of the log, which goes from new to old. */
export interface LogPlace {
  /** Unix ms. */
  at: number
  id: string
}

/** A search as learning reads it. */
export interface ShownSearch extends LogPlace {
  /** Ids of products, best first. */
  results: string[]
  /** Results before the first one. */
  offset: number
  keyId: string | null
  sessionId: string | null
  /** Whether it counts in analytics, and no later keystroke replaces it. */
  isCounted: boolean
}

/** A search kind, of widgets or of backends: the part of the log that an index has in the order of time. */
export interface LogPart {
  type: string
  isWidget: 0 | 1
}

export const LOG_PARTS: readonly LogPart[] = LISTED_TYPES.flatMap((type) =>
  ([0, 1] as const).map((isWidget) => ({ type, isWidget })),
)

/** What a store has learned. */
export interface LearnedRow {
  priors: Record<string, number>
  /** Unix ms. */
  madeAt: number
}

export type LearningQueries = ReturnType<typeof learningQueries>

/** All SQL of learning. No call opens a transaction. */
export function learningQueries(db: Db) {
  type Range = LogPart & LogPlace & { storeId: string; since: number; limit: bigint }
  const shown = db.prepare<
    Range,
    Omit<ShownSearch, 'results' | 'isCounted'> & { results: string; isTracked: 0 | 1; isReplaced: 0 | 1 }
  >(`
    SELECT id, created_at AS at, results, coalesce(json_extract(parameters, '$.offset'), 0) AS offset,
      widget_key_id AS keyId, session_id AS sessionId, is_tracked AS isTracked,
      EXISTS (SELECT 1 FROM burst_searches WHERE search_id = searches.id) AS isReplaced
    FROM searches INDEXED BY searches_kind
    WHERE store_id = @storeId AND type = @type AND (widget_key_id IS NOT NULL) = @isWidget
      AND created_at >= @since AND created_at <= @at AND (created_at < @at OR id < @id)
    ORDER BY created_at DESC, id DESC LIMIT @limit`)
  const clicked = db
    .prepare<{ storeId: string; ids: string }, [searchId: string, productId: string]>(`
    SELECT DISTINCT wanted.value, product_id FROM json_each(@ids) AS wanted CROSS JOIN feedback_events
      ON store_id = @storeId AND search_id = wanted.value AND action = 'click' AND standing = 0`)
    .raw()
  const clicks = db
    .prepare<[storeId: string, since: number], number | null>(
      'SELECT sum(clicks) FROM click_positions WHERE store_id = ? AND day >= ?',
    )
    .pluck()
  const learners = db
    .prepare<[], string>(`
    SELECT store_id FROM store_settings JOIN stores ON stores.id = store_id
    WHERE settings ->> '$.search_defaults.learn' = 1 AND suspended_at IS NULL AND erasing_at IS NULL ORDER BY store_id`)
    .pluck()
  const save = db.prepare(`
    INSERT INTO learned_clicks (store_id, priors, made_at) VALUES (?, ?, ?)
    ON CONFLICT DO UPDATE SET priors = excluded.priors, made_at = excluded.made_at`)
  const find = db.prepare<[storeId: string], { priors: string; madeAt: number }>(
    'SELECT priors, made_at AS madeAt FROM learned_clicks WHERE store_id = ?',
  )
  const madeAt = db
    .prepare<[storeId: string], number>('SELECT made_at FROM learned_clicks WHERE store_id = ?')
    .pluck()
  const rows = db
    .prepare<{ storeId: string; ids: string }, [row: number, productId: string]>(`
    SELECT products.id, product_id FROM json_each(@ids) CROSS JOIN products
      ON store_id = @storeId AND product_id = value`)
    .raw()

  return {
    /** Some searches of one part of the log before a place, newest first. */
    listShown: (
      part: LogPart,
      { storeId, before, since, limit }: { storeId: string; before: LogPlace; since: number; limit: number },
    ): ShownSearch[] =>
      shown
        .all({ ...part, ...before, storeId, since, limit: BigInt(limit) })
        .map(({ results, isTracked, isReplaced, ...row }) => ({
          ...row,
          results: JSON.parse(results) as string[],
          isCounted: isTracked === 1 && isReplaced === 0,
        })),
    /** The products that were clicked in the results of some searches, by search, each once. */
    findClicked(storeId: string, ids: readonly string[]): Map<string, string[]> {
      const found = new Map<string, string[]>()
      for (const [search, product] of clicked.iterate({ storeId, ids: JSON.stringify(ids) })) {
        const products = found.get(search)
        if (products) products.push(product)
        else found.set(search, [product])
      }
      return found
    },
    /** Clicks on results whose place is known. @param since a day. */
    countClicks: (storeId: string, since: number): number => clicks.get(storeId, since) ?? 0,
    /** Working stores that learn. */
    listLearners: (): string[] => learners.all(),
    save: (storeId: string, { priors, madeAt }: LearnedRow): void =>
      void save.run(storeId, JSON.stringify(priors), BigInt(madeAt)),
    find(storeId: string): LearnedRow | undefined {
      const row = find.get(storeId)
      return row && { ...row, priors: JSON.parse(row.priors) }
    },
    findMadeAt: (storeId: string): number | undefined => madeAt.get(storeId),
    /** The rows of some products, by row; one that is gone has none. */
    findProducts: (storeId: string, ids: readonly string[]): Map<number, string> =>
      new Map(rows.all({ storeId, ids: JSON.stringify(ids) })),
  }
}
