import type { Db } from '../../../platform/db/open.ts'

export interface MapRow {
  id: string
  slug: string
  moveState: 'moving' | 'paused' | 'switching' | 'moved' | null
  movedTo: string | null
  /** Unix ms. */
  movedAt: number | null
  /** JSON: a list of texts. */
  widgetKeys: string
}

export type MapQueries = ReturnType<typeof mapQueries>

/** Nodes that stores have moved to; nobody has so many. */
const NODES_MAX = 1_000n

/** A text in front of every id. */
const START = ''

export function mapQueries(db: Db) {
  const page = db.prepare<[afterId: string, limit: bigint], MapRow>(`
    SELECT id, slug, move_state AS moveState, moved_to AS movedTo, moved_at AS movedAt,
      (SELECT json_group_array(key) FROM (
        SELECT key FROM public_keys WHERE store_id = stores.id AND key IS NOT NULL ORDER BY id)) AS widgetKeys
    FROM stores WHERE id > ? AND (erasing_at IS NULL OR move_state = 'moved') ORDER BY id LIMIT ?`)
  const nodes = db
    .prepare<[limit: bigint], string>(
      `SELECT DISTINCT moved_to FROM stores WHERE move_state = 'moved' AND moved_to IS NOT NULL ORDER BY moved_to LIMIT ?`,
    )
    .pluck()

  return {
    /** Oldest first. */
    listPage: (afterId: string | undefined, limit: number): MapRow[] =>
      page.all(afterId ?? START, BigInt(limit)),
    /** Addresses of the nodes that stores have moved to. */
    listNodes: (): string[] => nodes.all(NODES_MAX),
  }
}
