import { type Clock, isoTime, isoTimeOrNull } from '../../../core/clock.ts'
import type { NodeJob } from '../../catalogue/jobs/schema.ts'
import type { DepartureRow, Phase } from './queries.ts'
import type { StoreMove } from './schema.ts'
import type { Session } from './session.ts'

/** No pace is told before. */
const KNOWN_AFTER_MS = 5_000

/** Seconds until all products are copied, by the pace of this run of the program. */
function estimate(
  row: DepartureRow,
  session: Session | undefined,
  { monotonic }: Pick<Clock, 'monotonic'>,
): number | null {
  const begun = session?.begun
  if (!begun || row.phase !== 'copying') return null
  const ms = monotonic() - begun.at
  const done = row.productsDone - begun.productsDone
  if (ms < KNOWN_AFTER_MS || done <= 0) return null
  return Math.ceil(((row.products - row.productsDone) * ms) / done / 1000)
}

/** Shows a move as its route and the command do. */
export function showMove(
  row: DepartureRow,
  session: Session | undefined,
  clock: Pick<Clock, 'monotonic'>,
): StoreMove {
  const pauseMs = session?.pausedAt === undefined ? row.pauseMs : clock.monotonic() - session.pausedAt
  return {
    id: row.id,
    store: { id: row.storeId, slug: row.slug },
    to: row.url,
    url: row.newUrl,
    phase: row.phase,
    rows: row.rowsSent,
    bytes: row.bytesSent,
    products: row.products,
    products_done: row.productsDone,
    pictures_done: row.picturesDone,
    reembeds: row.reembeds,
    pauses: row.pauses,
    pause_seconds: pauseMs === null ? null : Math.round(pauseMs) / 1000,
    eta_seconds: estimate(row, session, clock),
    problem: row.problem,
    error: row.error,
    started_at: isoTime(row.startedAt),
    finished_at: isoTimeOrNull(row.finishedAt),
  }
}

const STATUS: Partial<Record<Phase, NodeJob['status']>> = {
  moved: 'completed',
  cancelled: 'cancelled',
  failed: 'failed',
}

/** Shows a move among the jobs. */
export function showJob(
  row: DepartureRow,
  session: Session | undefined,
  clock: Pick<Clock, 'monotonic'>,
): NodeJob {
  const status = STATUS[row.phase] ?? 'processing'
  const succeeded = status === 'completed' ? row.products : row.productsDone
  const cancelled = status === 'cancelled' ? row.products - succeeded : 0
  const failed = status === 'failed' ? row.products - succeeded : 0
  const processed = succeeded + cancelled + failed
  const share = row.products === 0 ? 1 : Math.floor((processed / row.products) * 10_000) / 10_000
  return {
    ...{ job_id: row.id, type: 'store_move', status, total: row.products, processed },
    ...{ succeeded, unchanged: 0, failed, cancelled },
    source: { kind: 'api', name: row.url, bytes: null },
    started_by: null,
    progress: status === 'processing' ? Math.min(share, 0.9999) : 1,
    eta_seconds: estimate(row, session, clock),
    created_at: isoTime(row.startedAt),
    started_at: isoTime(row.startedAt),
    finished_at: isoTimeOrNull(row.finishedAt),
    duration_ms: row.finishedAt === null ? null : Math.max(0, row.finishedAt - row.startedAt),
    warnings: [],
    errors_url: `/v1/admin/stores/${row.storeId}/move`,
    callback: null,
    store: { id: row.storeId, slug: row.slug },
  }
}
