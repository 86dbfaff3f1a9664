import type { CallerStore } from '../../../core/actor.ts'
import { ApiError } from '../../../core/errors.ts'
import { LIMITS } from '../../../core/limits.ts'
import { turn } from '../../../core/turns.ts'
import type { WorkFile, WorkFiles } from '../../../platform/work-files.ts'
import type { Base } from '../../module.ts'
import type { Accounting } from './accounting.ts'
import type { Arrivals } from './arrivals.ts'
import type { ItemContent, JobAuthor, JobItem, NewJob } from './item.ts'
import type { FilePart, ItemError, ItemQueries, NewItem } from './item-queries.ts'
import type { JobQueries, JobRow } from './queries.ts'
import { toItemError } from './worker.ts'

export interface IntakeDeps extends Pick<Base, 'clock' | 'ids' | 'atomically' | 'withoutFsync'> {
  queries: Pick<JobQueries, 'add' | 'acknowledge' | 'countUnfinished' | 'dropJob'>
  items: Pick<ItemQueries, 'addItem' | 'skipEarlier' | 'dropItems'>
  accounting: Pick<Accounting, 'finishIfDone'>
  arrivals: Pick<Arrivals, 'next' | 'acknowledged'>
  /** One file for each job with long contents. */
  files: Pick<WorkFiles, 'create' | 'remove'>
}

/** Rows and bytes of one transaction, which holds the event loop for a few milliseconds. */
const BATCH_ITEMS = 50
const BATCH_BYTES = 256 * 1024
/** Characters of a content that is kept in its row. Only one with pictures in it is longer. */
const ROW_CHARS_MAX = 64 * 1024
const WARNINGS_MAX = 100
/** Wrong items of one job that are written. A packed file of some kilobytes can have a hundred thousand. */
const WRONG_KEPT_MAX = 10_000

/** Writes new jobs with their items, and deletes jobs. */
export function createJobIntake(deps: IntakeDeps) {
  const { queries, items, accounting, arrivals, files, atomically, withoutFsync, clock, ids } = deps

  /** Deletes a job that no client knows, or that is old, in small steps. */
  async function discard({ id, jobId }: { id: number; jobId: string }): Promise<void> {
    await files.remove(jobId)
    while (withoutFsync(() => items.dropItems(id, BATCH_ITEMS)) > 0) await turn()
    withoutFsync(() => queries.dropJob(id))
  }

  return {
    discard,

    /**
     * Writes a job with all its items. It exists for nobody until the last item is there; when this resolves, it is on the
     * disk. Of several items about one product the last one counts, and a warning names the product. Wrong items beyond a bound
     * are counted and not kept.
     *
     * @throws ApiError `overloaded` while the store has too many unfinished jobs, a storage code, and whatever `items`
     *   throws. Nothing is left of the job then.
     */
    async start(store: CallerStore, newJob: NewJob): Promise<JobRow> {
      const { type, author, source = null, callbackUrl, warnings, acknowledgedWith } = newJob
      if (queries.countUnfinished(store.id) >= LIMITS.unfinishedJobsMax) throw tooManyJobs()
      const jobId = ids.uuid()
      const row = { ...{ jobId, storeId: store.id, type, now: clock.now(), source }, ...toAuthor(author) }
      const id = withoutFsync(() => queries.add(row))
      let file: WorkFile | undefined
      const put = async (bytes: Uint8Array): Promise<FilePart> => {
        file ??= await files.create(jobId)
        return { offset: await file.append(bytes), bytes: bytes.length }
      }
      try {
        const written = await writeItems(store.id, id, newJob.items, put)
        await file?.sync()
        const { total, skipped, failed, repeated } = written
        const errorsDropped = Math.max(0, failed - WRONG_KEPT_MAX)
        const job = atomically(() => {
          author?.demandStill()
          const arrival = arrivals.next()
          const job = queries.acknowledge(id, {
            ...{ total, failed, unchanged: skipped, arrival, errorsDropped },
            callbackUrl: callbackUrl?.() ?? null,
            warnings: [
              ...describeDropped(errorsDropped),
              ...(warnings?.() ?? []),
              ...describeRepeated(repeated, skipped),
            ].slice(0, WARNINGS_MAX + 1),
          })
          acknowledgedWith?.({ jobId, arrival })
          accounting.finishIfDone(job)
          return job
        })
        arrivals.acknowledged(job.arrival as number)
        return job
      } catch (error) {
        await file?.close().catch(() => {})
        file = undefined
        await discard({ id, jobId }).catch(() => {
          // The next start of the program deletes what is left.
        })
        throw error
      } finally {
        await file?.close().catch(() => {})
      }
    },
  }

  async function writeItems(
    storeId: string,
    job: number,
    source: AsyncIterable<JobItem>,
    put: (bytes: Uint8Array) => Promise<FilePart>,
  ) {
    const sums = { total: 0, skipped: 0, failed: 0, repeated: [] as string[] }
    let batch: NewItem[] = []
    let chars = 0

    async function flush(): Promise<void> {
      const rows = batch
      batch = []
      chars = 0
      await turn()
      withoutFsync(() =>
        atomically(() => {
          for (const item of rows) {
            const { productId, error } = item
            if (productId !== null && !error && items.skipEarlier(job, storeId, productId)) {
              sums.skipped++
              if (sums.repeated.length < WARNINGS_MAX) sums.repeated.push(productId)
            }
            items.addItem(job, storeId, item)
          }
        }),
      )
    }

    for await (const item of source) {
      if (item.kind === 'wrong' && ++sums.failed > WRONG_KEPT_MAX) {
        // It is counted; nothing else is left of it. What writes nothing must give others their turn, too.
        if (++sums.total % BATCH_ITEMS === 0) await turn()
        continue
      }
      const row = await toRow(item, sums.total++, put)
      chars += (row.content?.length ?? 0) + 500
      batch.push(row)
      if (batch.length >= BATCH_ITEMS || chars >= BATCH_BYTES) await flush()
    }
    if (batch.length > 0) await flush()
    return sums
  }
}

/** An operator is no member, so nobody learns who it is. */
export function toAuthor(
  author: JobAuthor | undefined,
): Pick<JobRow, 'authorKind' | 'authorUser' | 'authorKey'> {
  if (!author) return { authorKind: null, authorUser: null, authorKey: null }
  const { kind, role, userId, keyId } = author
  if (kind === 'person' && role === null) return { authorKind: 'operator', authorUser: null, authorKey: null }
  return { authorKind: kind, authorUser: userId, authorKey: keyId }
}

async function toRow(
  item: JobItem,
  position: number,
  put: (bytes: Uint8Array) => Promise<FilePart>,
): Promise<NewItem> {
  const base = { position, content: null, part: undefined, error: undefined }
  if (item.kind === 'delete') return { ...base, kind: 'delete', productId: item.productId }
  if (item.kind === 'wrong') {
    return { ...base, kind: 'put', productId: item.productId, error: withFewDetails(toItemError(item.error)) }
  }
  const productId = item.product.product_id
  const row = { ...base, kind: 'put' as const, productId }
  if (hasPictureInside(item)) await turn()
  const { product, precomputed } = item
  const content = JSON.stringify({ ...product, given: precomputed } satisfies ItemContent)
  if (content.length <= ROW_CHARS_MAX) return { ...row, content }
  return { ...row, part: await put(Buffer.from(content)) }
}

const hasPictureInside = ({
  product: { image_url, additional_image_urls = [] },
}: JobItem & { kind: 'put' }) =>
  [image_url, ...additional_image_urls].some(({ length }) => length > ROW_CHARS_MAX)

/** Problems of one item that are kept: ten thousand items may be wrong. */
const PROBLEMS_MAX = 5

function withFewDetails(error: ItemError): ItemError {
  const errors = error.details?.['errors']
  if (!Array.isArray(errors) || errors.length <= PROBLEMS_MAX) return error
  return { ...error, details: { ...error.details, errors: errors.slice(0, PROBLEMS_MAX) } }
}

const inWords = (count: number): string => count.toLocaleString('en')

const describeDropped = (count: number): string[] =>
  count === 0
    ? []
    : [
        `${inWords(WRONG_KEPT_MAX + count)} items are wrong: the errors of the first ${inWords(WRONG_KEPT_MAX)} are kept, the others are only counted`,
      ]

function describeRepeated(repeated: readonly string[], count: number): string[] {
  const named = repeated.map(
    (id) => `The product_id ${JSON.stringify(id)} occurs more than once; the last item counts`,
  )
  const more = count - repeated.length
  return more > 0 ? [...named, `${more} further items repeat a product_id`] : named
}

export const tooManyJobs = () =>
  new ApiError('overloaded', `The store already has ${LIMITS.unfinishedJobsMax} unfinished jobs`, {
    retryAfterSeconds: 60,
  })
