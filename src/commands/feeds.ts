import { OperatorError } from '../core/operator-error.ts'
import type { Feed, FeedRun } from '../features/catalogue/product-feeds/schema.ts'
import { createProgress, type Progress } from './progress.ts'
import type { ServiceClient } from './service-client.ts'
import type { ServiceSession } from './service-session.ts'
import { formatTable } from './table.ts'

/** Settings of the commands about feeds, which are clients of the service. */
export const FEED_SETTINGS = [
  'DATA_DIR',
  'HOST',
  'PORT',
  'BASE_URL',
  'JWT_SECRET',
  'FETCH_ALLOW_CIDRS',
  'OFFLINE',
] as const

export const STORE_OPTION = {
  flag: 'store',
  value: 'SLUG',
  meaning: 'the store; may be left out if there is only one',
}
export const JSON_OPTION = { flag: 'json', meaning: 'print JSON' }

/** Between two looks at a run, at first and later; a look spends a request of the plan. */
const LOOK_FIRST_MS = 250
const LOOK_MS = 3_000

/** Sends JSON and reads the answer. */
export async function call<Answer>(
  client: ServiceClient,
  method: 'GET' | 'POST' | 'DELETE',
  path: string,
  body?: object,
): Promise<Answer> {
  const type = 'application/json'
  const response = await client.send(method, path, {
    ...(body && { headers: { 'content-type': type }, body: new Blob([JSON.stringify(body)], { type }) }),
  })
  return (await response.json()) as Answer
}

/** Finds a feed of the store by its id or its address. @throws OperatorError with the ids that there are. */
export async function findFeed(client: ServiceClient, word: string): Promise<Feed> {
  const { feeds } = await call<{ feeds: Feed[] }>(client, 'GET', '/v1/feeds')
  const found = feeds.filter(({ id, url }) => id === word || url === word)
  if (found.length === 1) return found[0] as Feed
  if (found.length > 1) {
    throw new OperatorError(
      `${found.length} feeds have this address. Name one by its id: ${found.map(({ id }) => id).join(', ')}`,
    )
  }
  throw new OperatorError(
    feeds.length === 0
      ? 'The store has no feed. Make one: lookalike feed add URL'
      : `The store has no feed ${word}. It has:\n${formatFeeds(feeds)}`,
  )
}

/**
 * Waits for the end of a run that was asked for, and prints what it came to.
 *
 * @returns the exit code: 1 where the run failed, or products of it, or somebody stopped the waiting.
 */
export async function tellRun(
  { client, isOwn }: ServiceSession,
  id: string,
  { isJson, told }: { isJson: boolean; told: AbortSignal },
): Promise<number> {
  const progress = createProgress()
  try {
    const feed = await waitForRun(client, id, progress, told)
    progress.end()
    if (isJson) console.log(JSON.stringify(feed))
    else if (feed.last_run) console.log(describeRun(feed.last_run))
    return judgeRun(feed)
  } catch (error) {
    progress.end()
    if (!told.aborted) throw error
    const after = isOwn ? 'as soon as a service runs on this folder' : 'in the service'
    console.error(`Stopped. The run goes on ${after}.`)
    return 1
  }
}

async function waitForRun(
  client: ServiceClient,
  id: string,
  progress: Progress,
  told: AbortSignal,
): Promise<Feed> {
  for (let pauseMs = LOOK_FIRST_MS; ; pauseMs = Math.min(2 * pauseMs, LOOK_MS)) {
    const feed = await call<Feed>(client, 'GET', `/v1/feeds/${id}`)
    if (feed.status === 'waiting') return feed
    const run = feed.status === 'running' ? feed.last_run : null
    progress.note(DOING[run?.status ?? 'queued'] ?? '')
    if (run?.status === 'importing' && run.job_id !== null) {
      await client.follow(run.job_id, ({ total, processed }) => {
        progress.note(`${processed} of ${total} products`)
      })
    }
    await Bun.sleep(pauseMs)
    told.throwIfAborted()
  }
}

const DOING: Readonly<Record<string, string>> = {
  queued: 'Waiting for its turn',
  pulling: 'Reading the file',
  importing: 'Writing the products',
  finishing: 'Deleting what is gone from the file',
}

export const formatFeeds = (feeds: readonly Feed[]): string =>
  formatTable([
    ['ID', 'URL', 'EVERY', 'DELETES', 'STATE', 'LAST RUN'],
    ...feeds.map((feed) => [
      feed.id,
      feed.url,
      formatMinutes(feed.interval_minutes),
      feed.delete_missing ? 'yes' : 'no',
      feed.status,
      feed.last_run === null ? 'none' : describeRun(feed.last_run),
    ]),
  ])

function formatMinutes(minutes: number): string {
  if (minutes % 1_440 === 0) return `${minutes / 1_440} d`
  return minutes % 60 === 0 ? `${minutes / 60} h` : `${minutes} min`
}

/** What a run came to, in one line. */
function describeRun({ status, finished_at, started_at, counts, error }: FeedRun): string {
  const at = (finished_at ?? started_at).replace('T', ' ').replace(/\.\d+Z$/, ' UTC')
  if (error) return `${at}: ${status}: ${error.message}`
  const parts = [
    [counts.succeeded, 'written'],
    [counts.unchanged, 'unchanged'],
    [counts.failed, 'failed'],
    [counts.deleted, 'deleted'],
  ] as const
  const told = parts.filter(([count]) => count > 0).map(([count, word]) => `${count} ${word}`)
  return `${at}: ${status}${told.length > 0 ? `, ${told.join(', ')}` : ''}`
}

const judgeRun = ({ last_run }: Feed): number =>
  last_run && ['completed', 'unchanged'].includes(last_run.status) && last_run.counts.failed === 0 ? 0 : 1
