import { isoTime, isoTimeOrNull } from '../../../core/clock.ts'
import type { NodeJob } from '../../catalogue/jobs/schema.ts'
import type { ModelQueries, NodeJobRow, WorkState } from './queries.ts'
import type { ModelFetch, ModelMove } from './schema.ts'

const STATUS = { running: 'processing', done: 'completed', cancelled: 'cancelled', failed: 'failed' } as const

const STATE: Readonly<Record<NodeJob['status'], WorkState>> = {
  ...{ processing: 'running', completed: 'done', cancelled: 'cancelled', failed: 'failed' },
}

interface NodeJobDeps {
  queries: Pick<ModelQueries, 'listJobs'>
  findMove(): Pick<ModelMove, 'id' | 'products' | 'products_done' | 'failed' | 'eta_seconds'> | null
  findFetch(): Pick<ModelFetch, 'job_id' | 'bytes' | 'bytes_total'> | null
}

/** Lists moves and fetches as jobs of the node, beside those of the stores. */
export function createNodeJobs({ queries, findMove, findFetch }: NodeJobDeps) {
  function show(row: NodeJobRow): NodeJob {
    const live = row.state === 'running' ? findLive(row) : undefined
    const { total, done, failed, share, eta } = { ...row, share: undefined, eta: null, ...live }
    const cancelled = row.state === 'cancelled' ? Math.max(0, total - done - failed) : 0
    const processed = done + failed + cancelled
    return {
      ...{ job_id: row.id, type: row.type, status: STATUS[row.state], total, processed },
      ...{ succeeded: done, unchanged: 0, failed, cancelled },
      source: { kind: 'api', name: row.name, bytes: null },
      started_by: null,
      progress: share ?? (total === 0 ? 1 : Math.floor((processed / total) * 10_000) / 10_000),
      eta_seconds: eta,
      created_at: isoTime(row.startedAt),
      started_at: isoTime(row.startedAt),
      finished_at: isoTimeOrNull(row.finishedAt),
      duration_ms: row.finishedAt === null ? null : Math.max(0, row.finishedAt - row.startedAt),
      warnings: [],
      errors_url: '/v1/admin/models',
      callback: null,
      store: null,
    }
  }

  function findLive(row: NodeJobRow) {
    const [move, fetch] = [findMove(), findFetch()]
    if (row.type === 'model_move' && move?.id === row.id) {
      const { products, products_done, failed, eta_seconds } = move
      return { total: products, done: products_done, failed, share: undefined, eta: eta_seconds }
    }
    if (row.type === 'model_fetch' && fetch?.job_id === row.id && fetch.bytes_total > 0) {
      const share = Math.floor((fetch.bytes / fetch.bytes_total) * 10_000) / 10_000
      return { total: 1, done: 0, failed: 0, share: Math.min(share, 0.9999), eta: null }
    }
    return undefined
  }

  return {
    /** The newest first. @param beforeId only older ones. */
    list: (status: NodeJob['status'] | undefined, beforeId: string | undefined, limit: number): NodeJob[] =>
      queries.listJobs(status && STATE[status], beforeId, limit).map(show),
  }
}
