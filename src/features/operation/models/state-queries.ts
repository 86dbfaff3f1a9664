import { isoTime, isoTimeOrNull } from '../../../core/clock.ts'
import type { Db } from '../../../platform/db/open.ts'
import type { ModelsStatus, MoveStatus } from '../../catalogue/model-moves/schema.ts'

interface StateRow {
  inUse: string
  former: string | null
  formerUntil: number | null
}

interface MoveRow
  extends Pick<MoveStatus, 'id' | 'kind' | 'from' | 'to' | 'state' | 'stores' | 'products' | 'failed'> {
  isReturning: number
  storesDone: number
  productsDone: number
  startedAt: number
  finishedAt: number | null
}

/** Reads the models of an install that no service may be serving. */
export function modelStateQueries(db: Db) {
  const state = db.prepare<[], StateRow>(`
    SELECT now.name AS inUse, past.name AS former, former_until AS formerUntil
    FROM model_state JOIN models now ON now.id = in_use LEFT JOIN models past ON past.id = former`)
  const lastMove = db.prepare<[], MoveRow>(`
    SELECT model_moves.id, kind, a.name AS "from", b.name AS "to", state, is_returning AS isReturning, stores,
      stores_done AS storesDone, products, products_done AS productsDone, failed, started_at AS startedAt,
      finished_at AS finishedAt
    FROM model_moves JOIN models a ON a.id = from_model JOIN models b ON b.id = to_model
    ORDER BY model_moves.id DESC LIMIT 1`)

  function findMove(): MoveStatus | null {
    const row = lastMove.get()
    if (!row) return null
    const { isReturning, storesDone, productsDone, startedAt, finishedAt, ...move } = row
    return {
      ...move,
      ...{ stores_done: storesDone, products_done: productsDone, failures: [], eta_seconds: null },
      ...{ is_returning: isReturning === 1, problem: null },
      ...{ started_at: isoTime(startedAt), finished_at: isoTimeOrNull(finishedAt) },
    }
  }

  return {
    /**
     * What a running service would say, except for the numbers of a move that is under way.
     *
     * @param bundled the model of an install that no service of this version has served.
     */
    readState(bundled: string): ModelsStatus {
      const row = state.get()
      const isKept = row?.former != null && row.formerUntil !== null
      return {
        in_use: row?.inUse ?? bundled,
        move: findMove(),
        former: isKept ? { name: row.former as string, until: isoTime(row.formerUntil as number) } : null,
      }
    },
  }
}
