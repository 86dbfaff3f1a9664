import { createBackoff } from '../core/backoff.ts'
import { OperatorError, wrongUsage } from '../core/operator-error.ts'
import { TABLE_FORMATS } from '../features/catalogue/imports/formats/table.ts'
import type { Feed, FeedRun } from '../features/catalogue/product-feeds/schema.ts'
import type { Command } from './cli/command.ts'
import { JSON_OPTION, STORE_OPTION } from './cli/options.ts'
import { createProgress, type Progress } from './cli/progress.ts'
import { createStopSignal } from './cli/stop-signal.ts'
import { formatTable } from './cli/table.ts'
import type { ServiceClient } from './client/service-client.ts'
import { type ServiceSession, withService } from './client/service-session.ts'

/** These commands are clients of the service. */
const SETTINGS = [
  'DATA_DIR',
  'HOST',
  'PORT',
  'BASE_URL',
  'JWT_SECRET',
  'FETCH_ALLOW_CIDRS',
  'OFFLINE',
] as const

const add: Command = {
  name: 'feed add',
  summary: 'pull products from an address, now and regularly',
  positionals: ['URL'],
  options: [
    STORE_OPTION,
    { flag: 'every', value: 'MINUTES', meaning: 'minutes from one run to the next; default: 1440, a day' },
    { flag: 'format', value: 'FORMAT', meaning: `${TABLE_FORMATS.join(', ')}; default: as the file tells` },
    { flag: 'mapping', value: 'JSON', meaning: 'columns by the field that they fill' },
    { flag: 'delete-missing', meaning: 'delete products that this feed brought and its file names no more' },
    JSON_OPTION,
  ],
  settings: SETTINGS,
  example: 'lookalike feed add https://shop.example/export/products.csv --store my-shop --every 360',
  run(command) {
    const { options, positionals } = command
    const body = {
      url: positionals[0] ?? '',
      ...(options['every'] !== undefined && { interval_minutes: Number(options['every']) }),
      ...(options['format'] !== undefined && { format: options['format'] }),
      ...(options['mapping'] !== undefined && { mapping: readMapping(options['mapping']) }),
      ...(options['delete-missing'] !== undefined && { delete_missing: true }),
    }
    const stop = createStopSignal()
    return withService(command, stop, async (session) => {
      const made = await call<Feed>(session.client, 'POST', '/v1/feeds', body)
      process.stderr.write(`Feed ${made.id} of ${made.url}\n`)
      return tellRun(session, made.id, { isJson: options['json'] !== undefined, stop })
    })
  },
}

const list: Command = {
  name: 'feed list',
  summary: 'list the feeds of a store with their last runs',
  options: [STORE_OPTION, JSON_OPTION],
  settings: SETTINGS,
  example: 'lookalike feed list --store my-shop',
  run(command) {
    return withService(command, createStopSignal(), async ({ client }) => {
      const list = await call<{ feeds: Feed[] }>(client, 'GET', '/v1/feeds')
      if (command.options['json'] !== undefined) console.log(JSON.stringify(list))
      else if (list.feeds.length === 0) console.log('The store has no feed. Make one: lookalike feed add URL')
      else console.log(formatFeeds(list.feeds))
      return 0
    })
  },
}

const runNow: Command = {
  name: 'feed run',
  summary: 'pull a feed now, and wait for the end',
  positionals: ['ID|URL'],
  options: [
    STORE_OPTION,
    { flag: 'full', meaning: 'read the file also if it has not changed' },
    { flag: 'force-delete', meaning: 'delete what is missing although it is more than 20 %' },
    JSON_OPTION,
  ],
  settings: SETTINGS,
  example: 'lookalike feed run https://shop.example/export/products.csv --store my-shop',
  run(command) {
    const { options, positionals } = command
    const stop = createStopSignal()
    return withService(command, stop, async (session) => {
      const { id } = await findFeed(session.client, positionals[0] ?? '')
      await call(session.client, 'POST', `/v1/feeds/${id}/run`, {
        full: options['full'] !== undefined,
        force_delete: options['force-delete'] !== undefined,
      })
      return tellRun(session, id, { isJson: options['json'] !== undefined, stop })
    })
  },
}

const remove: Command = {
  name: 'feed delete',
  summary: 'pull a feed no more; its products stay',
  positionals: ['ID|URL'],
  options: [STORE_OPTION, JSON_OPTION],
  settings: SETTINGS,
  example: 'lookalike feed delete https://shop.example/export/products.csv --store my-shop',
  run(command) {
    return withService(command, createStopSignal(), async ({ client }) => {
      const { id, url } = await findFeed(client, command.positionals[0] ?? '')
      const answer = await call<object>(client, 'DELETE', `/v1/feeds/${id}`)
      console.log(
        command.options['json'] !== undefined
          ? JSON.stringify(answer)
          : `The feed of ${url} is deleted. Its products stay.`,
      )
      return 0
    })
  },
}

/** `lookalike feed …`, in the order of the help. */
export const feedCommands: readonly Command[] = [add, list, runNow, remove]

function readMapping(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw wrongUsage('--mapping must be JSON: {"product_id": "Article", "image_url": "Photo"}')
  }
}

/** Pauses before a run is polled again, in ms; each poll spends a request of the plan. */
const poll = createBackoff({ first: 250, factor: 2, longest: 3_000 })

/** Sends JSON and reads the answer. */
async function call<Answer>(
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
async function findFeed(client: ServiceClient, word: string): Promise<Feed> {
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
 * Waits for the end of a run, and prints its outcome.
 *
 * @returns the exit code: 1 if the run or some of its products failed, or if the command was stopped.
 */
async function tellRun(
  { client, isOwn }: ServiceSession,
  id: string,
  { isJson, stop }: { isJson: boolean; stop: AbortSignal },
): Promise<number> {
  const progress = createProgress()
  try {
    const feed = await waitForRun(client, id, progress, stop)
    progress.end()
    if (isJson) console.log(JSON.stringify(feed))
    else if (feed.last_run) console.log(describeRun(feed.last_run))
    return judgeRun(feed)
  } catch (error) {
    progress.end()
    if (!stop.aborted) throw error
    const after = isOwn ? 'as soon as a service runs on this folder' : 'in the service'
    console.error(`Stopped. The run goes on ${after}.`)
    return 1
  }
}

async function waitForRun(
  client: ServiceClient,
  id: string,
  progress: Progress,
  stop: AbortSignal,
): Promise<Feed> {
  for (let polls = 0; ; polls++) {
    const feed = await call<Feed>(client, 'GET', `/v1/feeds/${id}`)
    if (feed.status === 'waiting') return feed
    const run = feed.status === 'running' ? feed.last_run : null
    progress.say(DOING[run?.status ?? 'queued'] ?? '')
    if (run?.status === 'importing' && run.job_id !== null) {
      await client.follow(run.job_id, ({ total, processed }) => {
        progress.say(`${processed} of ${total} products`)
      })
    }
    await Bun.sleep(poll(polls))
    stop.throwIfAborted()
  }
}

const DOING: Readonly<Record<string, string>> = {
  queued: 'Waiting for its turn',
  pulling: 'Reading the file',
  importing: 'Writing the products',
  finishing: 'Deleting what is gone from the file',
}

const formatFeeds = (feeds: readonly Feed[]): string =>
  formatTable([
    ['ID', 'URL', 'EVERY', 'DELETES', 'STATE', 'LAST RUN'],
    ...feeds.map((feed) => [
      feed.id,
      feed.url,
      formatMinutes(feed.interval_minutes),
      feed.delete_missing ? 'yes' : 'no',
      feed.paused && feed.status === 'waiting' ? 'paused' : feed.status,
      feed.last_run === null ? 'none' : describeRun(feed.last_run),
    ]),
  ])

function formatMinutes(minutes: number): string {
  if (minutes % 1_440 === 0) return `${minutes / 1_440} d`
  return minutes % 60 === 0 ? `${minutes / 60} h` : `${minutes} min`
}

/** Describes the outcome of a run in one line. */
function describeRun({ status, finished_at, started_at, counts, error }: FeedRun): string {
  const at = (finished_at ?? started_at).replace('T', ' ').replace(/\.\d+Z$/, ' UTC')
  if (error) return `${at}: ${status}: ${error.message}`
  const parts = [
    [counts.succeeded, 'written'],
    [counts.unchanged, 'unchanged'],
    [counts.failed, 'failed'],
    [counts.deleted, 'deleted'],
  ] as const
  const words = parts.filter(([count]) => count > 0).map(([count, word]) => `${count} ${word}`)
  return `${at}: ${status}${words.length > 0 ? `, ${words.join(', ')}` : ''}`
}

const judgeRun = ({ last_run }: Feed): number =>
  last_run && ['completed', 'unchanged'].includes(last_run.status) && last_run.counts.failed === 0 ? 0 : 1
