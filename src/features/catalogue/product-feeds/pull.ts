import type { CallerStore } from '../../../core/actor.ts'
import { ApiError } from '../../../core/errors.ts'
import { turn } from '../../../core/turns.ts'
import { UnreadableFile } from '../../../core/unreadable-file.ts'
import type { Download, DownloadedFile, FileDownloads } from '../../../platform/outbound/downloads.ts'
import type { Base } from '../../module.ts'
import type { ImportsModule } from '../imports/module.ts'
import type { JobItem } from '../jobs/item.ts'
import type { JobsModule } from '../jobs/module.ts'
import { toCredentials } from './credentials.ts'
import { downloadPages, isPaged } from './pages.ts'
import type { FeedProductQueries } from './product-queries.ts'
import type { FeedRow, RunReport } from './queries.ts'
import type { RunQueries } from './run-queries.ts'
import type { FeedError } from './schema.ts'

export interface PullDeps extends Pick<Base, 'clock' | 'atomically' | 'withoutFsync'> {
  runQueries: Pick<RunQueries, 'step' | 'beginReading' | 'endReading'>
  products: Pick<FeedProductQueries, 'see'>
  downloads: FileDownloads
  imports: Pick<ImportsModule['service'], 'read'>
  jobs: Pick<JobsModule['service'], 'start'>
  /** @returns undefined for credentials that were sealed with another secret. */
  openCredentials(feedId: string, sealed: Buffer): string | undefined
  isStopping(): boolean
  /** Aborts when the program ends. */
  stop?: AbortSignal | undefined
}

export type Pulled =
  | { kind: 'importing' }
  | { kind: 'unchanged' }
  | { kind: 'failed'; error: FeedError; run: RunReport }
  /** The service stops, or the feed is gone: nothing is written down. */
  | { kind: 'dropped' }

/** Products of a file that are noted in one transaction. */
const NOTED_AT_ONCE = 100

/** These end the reading of a file, and never reach a client. */
class Dropped extends Error {}
class EmptyFile extends Error {}

/** Fetches the file of a feed and makes a job of it. */
export function createPull(deps: PullDeps) {
  const { runQueries, products, downloads, imports, jobs, openCredentials } = deps
  const { isStopping, stop, atomically, withoutFsync, clock } = deps

  /** Passes the items on, and notes which products the file names. @throws EmptyFile at the end of a file without any. */
  async function* follow(feed: FeedRow, items: AsyncIterable<JobItem>, onUnnamed: () => void) {
    let names: string[] = []
    let count = 0
    async function note(): Promise<void> {
      const noted = names
      names = []
      await turn()
      withoutFsync(() =>
        atomically(() => {
          for (const name of noted) products.see(feed.id, feed.storeId, name, feed.runNumber)
        }),
      )
    }
    for await (const item of items) {
      if (isStopping()) throw new Dropped()
      if (item.kind === 'put') count++
      const name = item.kind === 'put' ? item.product.product_id : item.productId
      if (name === null) onUnnamed()
      else if (names.push(name) >= NOTED_AT_ONCE) await note()
      yield item
    }
    if (count === 0) throw new EmptyFile()
    await note()
  }

  async function start(
    store: CallerStore,
    feed: FeedRow,
    file: DownloadedFile,
    run: RunReport,
  ): Promise<void> {
    const { path, pieces } = file
    const request = {
      file: { path, open: pieces, format: feed.format ?? undefined },
      mapping: feed.mapping ?? undefined,
      feedId: feed.id,
      signal: stop,
    }
    await imports.read(store.id, request, ({ items, warnings }) =>
      jobs.start(store, {
        type: 'feed',
        source: { kind: 'feed', name: describeAddress(feed), bytes: run.bytes },
        items: follow(feed, items, () => {
          run.unnamed++
        }),
        warnings,
        acknowledgedWith({ jobId, arrival }) {
          const next = { ...run, arrival }
          if (!runQueries.step(feed, { status: 'importing', jobId, run: next })) throw new Dropped()
        },
      }),
    )
  }

  const fail = (run: RunReport, error: FeedError): Pulled => ({ kind: 'failed', run, error })

  /** @returns the validators and hash of the last file; undefined if it must be read in any case. */
  function findKnown(feed: FeedRow, { isFull }: RunReport) {
    if (isFull || (feed.trustedUntil !== null && feed.trustedUntil <= clock.now())) return undefined
    return { etag: feed.etag, lastModified: feed.lastModified, contentHash: feed.contentHash }
  }

  /**
   * Does a run up to its job.
   *
   * @param run is added to.
   * @throws ApiError for a storage fault; other errors are bugs.
   */
  return async function pull(store: CallerStore, feed: FeedRow, run: RunReport): Promise<Pulled> {
    const userInfo = feed.credentials === null ? null : openCredentials(feed.id, feed.credentials)
    if (userInfo === undefined) return fail(run, CREDENTIALS_UNREADABLE)
    const known = findKnown(feed, run)
    const credentials = userInfo === null ? undefined : toCredentials(userInfo)
    let found: Download
    try {
      found = isPaged(feed.url)
        ? await downloadPages(feed.url, credentials, { downloads, clock })
        : await downloads.download(feed.url, { known, credentials })
    } catch (error) {
      if (!(error instanceof UnreadableFile)) throw error
      return fail(run, { error: 'file_unreadable', message: error.message })
    }
    if (found.kind === 'stopped') return { kind: 'dropped' }
    if (found.kind === 'unchanged') return found
    if (found.kind === 'failed') {
      const { reason, message, upstreamStatus: upstream_status } = found
      const details = { reason, ...(upstream_status !== undefined && { upstream_status }) }
      return fail(run, { error: 'download_failed', message, details })
    }
    await using file = found.file
    const contentHash = file.hash.toString('hex')
    Object.assign(run, { ...file.marks, contentHash, bytes: file.sizeBytes })
    if (known?.contentHash && file.hash.equals(known.contentHash)) return { kind: 'unchanged' }
    if (file.sizeBytes === 0) return fail(run, FILE_EMPTY)
    // Written before the file is read: a file that ends the program leaves no other trace.
    if (runQueries.beginReading(feed.id, file.hash) > READINGS_MAX) return fail(run, GIVEN_UP)
    try {
      await start(store, feed, file, run)
      return { kind: 'importing' }
    } catch (error) {
      if (error instanceof Dropped || isStopping()) return { kind: 'dropped' }
      if (error instanceof EmptyFile) return fail(run, FILE_EMPTY)
      if (!(error instanceof ApiError)) throw error
      return fail(run, describe(error))
    } finally {
      withoutFsync(() => runQueries.endReading(feed.id))
    }
  }
}

/** The address without what may be secret in it. */
const describeAddress = ({ url }: FeedRow): string => url.replace(/[?#].*$/s, '')

/** How often a file may end the program while it is read. */
const READINGS_MAX = 3

const GIVEN_UP: FeedError = {
  error: 'file_unreadable',
  message: `The service ended ${READINGS_MAX} times while it read this file, so it reads it no more. Change the file, or send POST /v1/feeds/{id}/run with {"full": true} to try again`,
}

const FILE_EMPTY: FeedError = {
  error: 'file_empty',
  message: 'The file has no product that can be read, so nothing was done',
}

const CREDENTIALS_UNREADABLE: FeedError = {
  error: 'credentials_unreadable',
  message:
    'The user name and the password can be read no more, because the secret of this install is another one: set the url again',
}

/** Tells the owner of a feed what an import would have answered. */
function describe({ code, message, extras }: ApiError): FeedError {
  const { details } = extras
  if (code !== 'validation_error') return { error: code, message, ...(details && { details }) }
  const [problem] = (details?.['errors'] ?? []) as { code: string; message: string }[]
  const isMissing = problem?.code === 'column_missing' || problem?.code === 'pages_not_pictures'
  return { error: isMissing ? 'column_missing' : 'file_unreadable', message: problem?.message ?? message }
}
