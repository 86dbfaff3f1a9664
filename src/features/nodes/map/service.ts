import { createHash } from 'node:crypto'
import { isoTimeOrNull } from '../../../core/clock.ts'
import { turn } from '../../../core/turns.ts'
import { CursorId, createCursors } from '../../../http/paging.ts'
import type { Base } from '../../module.ts'
import { type LineFormat, writeLines, writeTargets } from './formats.ts'
import type { MapQueries, MapRow } from './queries.ts'
import { type MapQuery, type MapStore, type NodeMap, PAGE_DEFAULT } from './schema.ts'

export interface MapDeps extends Pick<Base, 'baseUrl'> {
  queries: MapQueries
  version: string
}

/** Stores that are read at a time. */
const STEP = 500

export type MapService = ReturnType<typeof mapService>

/** Who lives where, as this node knows it (contract 8.20). It keeps nothing: each answer is read from the stores. */
export function mapService({ queries, version, baseUrl }: MapDeps) {
  const cursors = createCursors({ list: 'map' }, { id: CursorId })

  const view = (row: MapRow): MapStore => {
    const isMoved = row.moveState === 'moved' && row.movedTo !== null
    return {
      store_id: row.id,
      slug: row.slug,
      state: isMoved ? 'moved' : row.moveState === null ? 'active' : 'moving',
      url: isMoved && row.movedTo !== null ? row.movedTo : baseUrl(),
      moved_at: isoTimeOrNull(row.movedAt),
      widget_keys: JSON.parse(row.widgetKeys) as string[],
    }
  }

  const listNodes = (): string[] => [...new Set([baseUrl(), ...queries.listNodes()])]

  /** All stores, a few at a time, oldest first. */
  function* walk(): Generator<MapStore> {
    for (let afterId: string | undefined; ; ) {
      const rows = queries.listPage(afterId, STEP)
      for (const row of rows) yield view(row)
      if (rows.length < STEP) return
      afterId = rows.at(-1)?.id
    }
  }

  /** The lines of a proxy's map in pieces. */
  function* writePieces(format: LineFormat, hosts: string | undefined): Generator<string> {
    let piece = ''
    let lines = 0
    for (const line of writeLines(format, { nodes: listNodes(), stores: walk(), hosts })) {
      piece += line
      lines += 1
      if (lines % STEP !== 0) continue
      yield piece
      piece = ''
    }
    yield piece
  }

  return {
    walk,
    listNodes,

    /** @throws ApiError `invalid_cursor`. */
    readPage({ limit = PAGE_DEFAULT, cursor }: Pick<MapQuery, 'limit' | 'cursor'>): NodeMap {
      const found = queries.listPage(cursors.read(cursor)?.id, limit + 1)
      const { rows, nextCursor } = cursors.page(found, limit, ({ id }) => ({ id }))
      return {
        node: { url: baseUrl(), version },
        nodes: listNodes(),
        stores: rows.map(view),
        count: rows.length,
        next_cursor: nextCursor,
      }
    },

    /** The nodes for Prometheus. */
    writeTargets: (): string => writeTargets(listNodes()),

    writePieces,

    /** What changes when the lines of a proxy's map do. It goes through them in steps and keeps none. */
    async hashLines(format: LineFormat, hosts: string | undefined): Promise<string> {
      const hash = createHash('sha256')
      for (const piece of writePieces(format, hosts)) {
        hash.update(piece)
        await turn()
      }
      return hash.digest('base64url')
    },
  }
}
