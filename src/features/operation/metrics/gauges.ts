import Gauge from 'prom-client/lib/gauge.js'
import type Registry from 'prom-client/lib/registry.js'
import type { OwnerState } from '../../../commands/standby/role.ts'
import type { Clock } from '../../../core/clock.ts'
import type { FileSizes } from '../../../platform/db/file-sizes.ts'
import type { Embedder, ModelSide } from '../../../platform/embedder/embedder.ts'
import { addMoveGauges, type MoveCounts } from './move-gauges.ts'
import type { MetricsQueries, NodeCounts } from './queries.ts'

export interface GaugesDeps {
  clock: Pick<Clock, 'monotonic'>
  queries: MetricsQueries
  /** Every model with processes, the one in use first. */
  listModels(): readonly Pick<Embedder, 'model' | 'status' | 'gauges'>[]
  version: string
  /** Undefined for a database in memory. */
  readFileSizes(): FileSizes | undefined
  readFreeDiskShare(): Promise<number>
  /** Resident memory of this process. */
  readMemoryBytes(): number
  /** When a backup was last made that counts, in Unix ms; undefined before the first one. */
  findLastBackup?: (() => number | undefined) | undefined
  /** How the copies of the database stand; absent where nothing is copied. */
  readCopies?: (() => OwnerState) | undefined
  /** The running move to another model, or the last one; null before the first one. */
  findMove(): MoveCounts | null
}

/** Several scrapers within this time get the same counts of the tables. */
const COUNTS_MS = 5_000

const MODEL_SIDES: readonly ModelSide[] = ['text', 'picture']

export type Values = readonly (readonly [value: number | undefined, labels?: Record<string, string>])[]

/** Numbers that are read when somebody asks. @returns reads them all anew. */
export function createGauges(registry: Registry, deps: GaugesDeps): () => Promise<void> {
  const { clock, queries, listModels, readCopies } = deps
  const readers: (() => void)[] = []
  let counts: NodeCounts
  let countedAt = Number.NEGATIVE_INFINITY
  let freeDiskShare: number | undefined
  let sizes: FileSizes | undefined

  /** Adds a gauge. A value that is unknown is left out of the answer. */
  function add(name: string, help: string, labelNames: readonly string[], read: () => Values): void {
    const gauge = new Gauge({ name, help, labelNames: [...labelNames], registers: [registry] })
    readers.push(() => {
      // Labels may have gone, such as those of a model that has ended.
      if (labelNames.includes('hash')) gauge.reset()
      for (const [value, labels = {}] of read()) {
        if (value !== undefined) gauge.set(labels, value)
        else gauge.remove(labels)
      }
    })
  }
  const addPlain = (name: string, help: string, read: () => number | undefined) =>
    add(name, help, [], () => [[read()]])

  const modelLabels = ['id', 'hash', 'dimension']
  const describe = ({ model: { id, hash, dimension } }: Pick<Embedder, 'model'>) => ({
    id,
    hash,
    dimension: String(dimension),
  })
  const isReady = (embedder: Pick<Embedder, 'status'>) => (embedder.status().state === 'ready' ? 1 : 0)
  const inUse = () => listModels()[0]
  add('service_info', 'The version of the service; always 1.', ['version'], () => [
    [1, { version: deps.version }],
  ])
  add('model_info', 'The model in use; always 1.', modelLabels, () =>
    listModels()
      .slice(0, 1)
      .map((model) => [1, describe(model)]),
  )
  addPlain('model_ready', '1 if the model in use answers, otherwise 0.', () => {
    const model = inUse()
    return model && isReady(model)
  })
  add(
    'running_model_ready',
    '1 for each running model that answers, 0 for one that does not.',
    modelLabels,
    () => listModels().map((model) => [isReady(model), describe(model)]),
  )
  /** By kind and stage, over all running models. */
  const waiting = (
    pick: (queue: { tasks: number; oldestMs: number }) => number,
    join: (one: number, other: number) => number,
  ): Values => {
    const joined = new Map<string, [number, { kind: string; stage: string }]>()
    for (const { gauges } of listModels()) {
      const queues = gauges?.readQueues()
      if (!queues) continue
      for (const kind of MODEL_SIDES) {
        for (const [stage, queue] of Object.entries(queues[kind])) {
          const [before = 0] = joined.get(`${kind} ${stage}`) ?? []
          joined.set(`${kind} ${stage}`, [join(before, pick(queue)), { kind, stage }])
        }
      }
    }
    return [...joined.values()]
  }
  const queueLabels = ['kind', 'stage']
  add('embed_queue_depth', 'Texts and pictures that wait for the model, by stage.', queueLabels, () =>
    waiting(
      ({ tasks }) => tasks,
      (one, other) => one + other,
    ),
  )
  add('embed_queue_oldest_seconds', 'How long the oldest of them has waited.', queueLabels, () =>
    waiting(({ oldestMs }) => oldestMs / 1000, Math.max),
  )
  add('process_memory_bytes', 'Resident memory of each kind of process.', ['process'], () => {
    const memories = listModels().map(({ gauges }) => gauges?.readMemoryBytes())
    const sum = (kind: ModelSide): number | undefined =>
      memories.reduce<number | undefined>((total, memory) => {
        const bytes = memory?.[kind]
        return bytes === undefined ? total : (total ?? 0) + bytes
      }, undefined)
    const models = MODEL_SIDES.map((kind) => [sum(kind), { process: `model_${kind}` }] as const)
    return [[deps.readMemoryBytes(), { process: 'service' }], ...models]
  })

  add('stores_total', 'Stores, by status.', ['status'], () => [
    [counts.storesActive, { status: 'active' }],
    [counts.storesSuspended, { status: 'suspended' }],
  ])
  addPlain('products_total', 'Products of all stores.', () => counts.products)
  addPlain('jobs_running', 'Jobs that are not over.', () => counts.jobs)
  addPlain('job_items_waiting', 'Products of these jobs that are not over.', () => counts.items)
  addPlain('feeds_total', 'Feeds of all stores.', () => counts.feeds)
  addPlain('feeds_failing', 'Feeds whose last run failed, without paused ones.', () => counts.feedsFailing)
  addPlain('webhook_backlog', 'Deliveries that wait; 10000 means that many or more.', () => counts.backlog)
  addPlain('webhooks_failing', 'Webhooks whose last delivery failed.', () => counts.webhooksFailing)
  addPlain(
    'webhooks_disabled',
    'Webhooks that were switched off because their receiver no longer answered.',
    () => counts.webhooksDisabled,
  )
  addPlain('mails_waiting', 'Mails that could not be sent yet.', () => counts.mails)

  addMoveGauges(add, deps.findMove)

  addPlain('db_size_bytes', 'Size of the database without its log.', () => sizes?.databaseBytes)
  addPlain('db_wal_size_bytes', 'Size of the log of its latest writes.', () => sizes?.walBytes)
  addPlain('disk_free_ratio', 'Free share of the disk of the data folder, 0 to 1.', () => freeDiskShare)
  if (readCopies) {
    addPlain('copies_epoch', 'The epoch of this owner of the copies.', () => readCopies().epoch)
    addPlain('copies_lag_seconds', 'Age of the copy of the database.', () => {
      const { lagMs } = readCopies()
      return Number.isFinite(lagMs) ? lagMs / 1_000 : undefined
    })
    addPlain(
      'copies_pictures_waiting',
      'Pictures that are not in the bucket yet.',
      () => readCopies().picturesWaiting,
    )
    addPlain(
      'copies_acknowledging',
      '1 while writes are answered, 0 while they are refused for want of a copy.',
      () => (readCopies().mayAcknowledge ? 1 : 0),
    )
  }
  addPlain('backup_last_success_timestamp', 'Unix time of the last backup that counts.', () => {
    const at = deps.findLastBackup?.()
    return at === undefined ? undefined : at / 1000
  })

  return async () => {
    freeDiskShare = await deps.readFreeDiskShare().catch(() => undefined)
    sizes = deps.readFileSizes()
    if (clock.monotonic() - countedAt >= COUNTS_MS) {
      counts = queries.count()
      countedAt = clock.monotonic()
    }
    for (const read of readers) read()
  }
}
