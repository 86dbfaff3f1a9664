import Counter from 'prom-client/lib/counter.js'
import Histogram from 'prom-client/lib/histogram.js'
import Registry from 'prom-client/lib/registry.js'
import type { EmbedderGauges, ModelSide } from '../../../platform/embedder/embedder.ts'
import type { Poster } from '../../../platform/outbound/poster.ts'
import type { JobCounts } from '../../catalogue/jobs/queries.ts'
import type { SearchKind } from '../../discovery/search/queries.ts'

/** The parts of the time that a search takes: reading its picture and words, ranking the store, all together. */
export const SEARCH_STAGES = ['read', 'rank', 'total'] as const
export type SearchStage = (typeof SEARCH_STAGES)[number]

/** A request that was answered. */
export interface CountedRequest {
  method: string
  /** The pattern of the route's path, as in `/v1/products/:id`; empty where no route matches. */
  route: string
  status: number
  durationMs: number
}

/** Combinations of method, route and status that are counted apart; a program that tries everything ends at this number. */
const REQUEST_SERIES_MAX = 400

type RequestLabels = Pick<CountedRequest, 'method' | 'route' | 'status'>

/** Requests that match no route: their methods and paths are the client's words. */
const OTHER = 'other'

const LATENCIES = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]
const LATENESS = [0.001, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 5]

export type Meters = ReturnType<typeof createMeters>

/** The numbers that are counted as things happen. Each call takes a microsecond or two. */
export function createMeters() {
  const registry = new Registry()
  const registers = [registry]
  const requests = new Counter({
    name: 'http_requests_total',
    help: 'Answered requests, by method, pattern of the path and status.',
    labelNames: ['method', 'route', 'status'],
    registers,
  })
  const requestSeconds = new Histogram({
    name: 'http_request_duration_seconds',
    help: 'Time from the arrival of a request to the end of its answer.',
    buckets: LATENCIES,
    registers,
  })
  const searchSeconds = new Histogram({
    name: 'search_duration_seconds',
    help: 'Time of searches by type and stage: read (its picture and words), rank, total.',
    labelNames: ['type', 'stage'],
    buckets: LATENCIES,
    registers,
  })
  const embedSeconds = new Histogram({
    name: 'embed_duration_seconds',
    help: 'Time of texts and pictures in the model, by stage: wait (in the queue), work.',
    labelNames: ['kind', 'stage'],
    buckets: LATENCIES,
    registers,
  })
  const itemsFailed = new Counter({
    name: 'job_items_failed_total',
    help: 'Products of jobs that could not be indexed.',
    registers,
  })
  const itemsDone = new Counter({
    name: 'job_items_done_total',
    help: 'Products of jobs that were indexed or had not changed.',
    registers,
  })
  const deliveries = new Counter({
    name: 'webhook_deliveries_total',
    help: 'Attempts to deliver webhooks and callbacks, by result: delivered, failed.',
    labelNames: ['result'],
    registers,
  })
  const loopDelay = new Histogram({
    name: 'event_loop_delay_seconds',
    help: 'How much later than planned work of the main thread begins, measured once a second.',
    buckets: LATENESS,
    registers,
  })
  const storeMoves = new Counter({
    name: 'store_moves_total',
    help: 'Moves of stores to other nodes that have ended, by outcome: moved, cancelled, failed.',
    labelNames: ['outcome'],
    registers,
  })
  const movePauses = new Histogram({
    name: 'store_move_pause_seconds',
    help: 'How long the writes of a store that moved have waited.',
    buckets: [0.25, 0.5, 1, 2, 3, 4, 5, 10, 30],
    registers,
  })
  for (const result of ['delivered', 'failed']) deliveries.inc({ result }, 0)
  /** Requests since the last reading, by their labels: finding an entry takes a tenth of the time of `inc`. */
  const series = new Map<string, { labels: RequestLabels; since: number }>()

  function findSeries(method: string, route: string, status: number) {
    const key = `${method} ${route} ${status}`
    const known = series.get(key)
    if (known) return known
    if (route !== OTHER && (route === '' || series.size >= REQUEST_SERIES_MAX)) {
      return findSeries(OTHER, OTHER, status)
    }
    const made = { labels: { method, route, status }, since: 0 }
    series.set(key, made)
    return made
  }

  return {
    registry,

    /** Writes everything in the text format. */
    read(): Promise<string> {
      for (const one of series.values()) {
        if (one.since > 0) requests.inc(one.labels, one.since)
        one.since = 0
      }
      return registry.metrics()
    },

    countRequest({ method, route, status, durationMs }: CountedRequest): void {
      findSeries(method, route, status).since++
      requestSeconds.observe(durationMs / 1000)
    },

    countStoreMove(outcome: 'moved' | 'cancelled' | 'failed', pauseMs: number | null): void {
      storeMoves.inc({ outcome })
      if (outcome === 'moved' && pauseMs !== null) movePauses.observe(pauseMs / 1000)
    },

    timeSearch(type: SearchKind, stage: SearchStage, ms: number): void {
      searchSeconds.observe({ type, stage }, ms / 1000)
    },

    /** Notes that items of a job are over. */
    countItems({ succeeded, unchanged, failed }: JobCounts): void {
      if (failed > 0) itemsFailed.inc(failed)
      if (succeeded + unchanged > 0) itemsDone.inc(succeeded + unchanged)
    },

    noteLoopDelay: (ms: number): void => loopDelay.observe(ms / 1000),

    /** Measures from now on what the model does. */
    watchEmbedder(gauges: EmbedderGauges | undefined): void {
      gauges?.watch((kind: ModelSide, { waitMs, workMs }) => {
        embedSeconds.observe({ kind, stage: 'wait' }, waitMs / 1000)
        embedSeconds.observe({ kind, stage: 'work' }, workMs / 1000)
      })
    },

    /** The same way to receivers, whose answers are counted. */
    watchPoster: (poster: Poster): Poster => ({
      ...poster,
      async post(url, message) {
        let result = 'failed'
        try {
          const answer = await poster.post(url, message)
          if (answer.status >= 200 && answer.status < 300) result = 'delivered'
          return answer
        } finally {
          if (!poster.isStopping()) deliveries.inc({ result })
        }
      },
    }),
  }
}
