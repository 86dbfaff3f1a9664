import { basename } from 'node:path'
import type { Config } from '../config.ts'
import { LIMITS } from '../core/limits.ts'
import { OperatorError, wrongUsage } from '../core/operator-error.ts'
import { formatOf, TABLE_FORMATS } from '../features/catalogue/imports/formats/table.ts'
import type { ImportPreview } from '../features/catalogue/imports/schema.ts'
import type { Job, JobStarted } from '../features/catalogue/jobs/schema.ts'
import type { Call, Command } from './command.ts'
import { formatJob, formatPreview } from './import-report.ts'
import { createProgress } from './progress.ts'
import { findRunningService, startService, withInstall } from './runtime.ts'
import { createStopSignal } from './serve.ts'
import { createServiceClient, type ServiceClient } from './service-client.ts'
import { requireStore } from './store-choice.ts'

/** Imports of one file on one day that begin anew after the one before has ended. */
const REPEATS_MAX = 20

/** `lookalike import`. */
export const importFile: Command = {
  name: 'import',
  summary: 'import the products of a file: CSV, TSV, NDJSON or XML, also as .gz, or a .zip with pictures',
  positionals: ['FILE'],
  options: [
    { flag: 'store', value: 'SLUG', meaning: 'the store; may be left out if there is only one' },
    {
      flag: 'mapping',
      value: 'JSON',
      meaning: 'columns by the field that they fill: {"product_id": "Article", "image_url": "Photo"}',
    },
    { flag: 'format', value: 'FORMAT', meaning: `${TABLE_FORMATS.join(', ')}; default: as the file tells` },
    { flag: 'dry-run', meaning: 'show what would be imported, and write nothing' },
    { flag: 'json', meaning: 'print JSON: the job at its end, or the preview' },
  ],
  settings: ['DATA_DIR', 'JWT_SECRET', 'FETCH_ALLOW_CIDRS', 'OFFLINE'],
  example: 'lookalike import products.csv --store my-shop --dry-run',
  async run(call) {
    const work = await readWork(call)
    const told = createStopSignal()
    const { config, options } = call
    const address = findRunningService(config)
    const store = await withInstall(config, (services) => requireStore(services, options['store']))
    if (address) return importThrough(address, call, store.id, work, told, 'goes on in the service')
    const service = await startService(configureOwn(config), told)
    if (!service) return 1
    try {
      const after = 'goes on as soon as a service or another import runs on this folder'
      return await importThrough(service.address, call, store.id, work, told, after)
    } finally {
      await service.stop()
    }
  },
}

/** Nobody but this command uses its own service. */
const configureOwn = (config: Config): Config => ({
  ...config,
  HOST: '127.0.0.1',
  PORT: 0,
  LOG_LEVEL: config.LOG_LEVEL === 'info' ? 'warn' : config.LOG_LEVEL,
})

interface Work {
  file: Blob
  query: URLSearchParams
  /** SHA-256 of the file. */
  hash: string
}

/** @throws OperatorError for a wrong option, or a file that cannot be read or is too large. */
async function readWork({ options, positionals }: Call): Promise<Work> {
  const [path = ''] = positionals
  const { format, mapping } = options
  if (format !== undefined && !TABLE_FORMATS.some((name) => name === format)) {
    throw wrongUsage(`--format must be one of ${TABLE_FORMATS.join(', ')}`)
  }
  if (mapping !== undefined && !isJsonObject(mapping)) throw wrongUsage('--mapping must be a JSON object')
  const file = Bun.file(path)
  const hasher = new Bun.CryptoHasher('sha256')
  try {
    // Not its size first: a folder and a file that may not be read have one, too.
    const { size } = await file.stat()
    if (size > LIMITS.bulkBytesMax) throw tooLarge(path)
    if (size === 0) throw new OperatorError(`${path} is empty`)
    for await (const piece of file.stream()) hasher.update(piece)
  } catch (error) {
    if (error instanceof OperatorError) throw error
    throw new OperatorError(`Cannot read ${path}: ${(error as Error).message}`)
  }
  const told = format ?? formatOf(basename(path).replace(/\.gz$/i, ''))
  const query = new URLSearchParams({ ...(told && { format: told }), ...(mapping && { mapping }) })
  return { file, query, hash: hasher.digest('hex') }
}

const tooLarge = (path: string) =>
  new OperatorError(
    `${path} is larger than ${LIMITS.bulkBytesMax / 1024 ** 2} MiB. Pack it with gzip, which may hold up to 250 MB, or split it into several files.`,
  )

function isJsonObject(text: string): boolean {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null && !Array.isArray(value)
  } catch {
    return false
  }
}

/** @param after what becomes of the job when the command is stopped. @returns the exit code. */
async function importThrough(
  address: string,
  { config, options }: Call,
  storeId: string,
  work: Work,
  told: AbortSignal,
  after: string,
): Promise<number> {
  const client = createServiceClient(address, () => issueToken(config, storeId), told)
  const isJson = options['json'] !== undefined
  let jobId: string | undefined
  const progress = createProgress()
  try {
    if (options['dry-run']) {
      const preview = await showPreview(client, work)
      console.log(isJson ? JSON.stringify(preview) : formatPreview(preview))
      return preview.invalid > 0 ? 1 : 0
    }
    const started = await startJob(client, storeId, work)
    jobId = started.job_id
    // Not console.error, which is red on a terminal.
    process.stderr.write(`Job ${jobId}: ${started.total} products\n`)
    const job = await client.follow(jobId, progress.show)
    progress.end()
    console.log(isJson ? JSON.stringify(job) : formatJob(job))
    return job.status === 'completed' && job.failed === 0 ? 0 : 1
  } catch (error) {
    progress.end()
    if (jobId !== undefined) console.error(explainLeft(jobId, after))
    if (!told.aborted) throw error
    if (jobId === undefined)
      console.error('Stopped. If the service has the whole file already, it imports it.')
    return 1
  }
}

const explainLeft = (jobId: string, after: string): string =>
  `The job ${jobId} ${after}.\n` +
  `Follow it with the same command or GET /v1/jobs/${jobId}; cancel it with POST /v1/jobs/${jobId}/cancel.`

/** A token of the store's machine grant for five minutes. */
const issueToken = (config: Config, storeId: string): Promise<string> =>
  withInstall(config, async ({ operatorTokens }, { readTokenSecret }) => {
    const token = await operatorTokens.issue(storeId, readTokenSecret())
    if (token === undefined) throw new OperatorError('The store is gone')
    return token
  })

const post = (client: ServiceClient, { file, query }: Work, headers: Record<string, string> = {}) =>
  client.send('POST', `/v1/products/import?${query}`, {
    headers: { 'content-type': 'application/octet-stream', ...headers },
    body: file,
  })

async function showPreview(client: ServiceClient, work: Work): Promise<ImportPreview> {
  const query = new URLSearchParams(work.query)
  query.set('dry_run', 'true')
  return (await (await post(client, { ...work, query })).json()) as ImportPreview
}

/** Starts a job, or finds the one that an earlier run of this command has started and that is not over. */
async function startJob(client: ServiceClient, storeId: string, work: Work): Promise<JobStarted> {
  let before = ''
  for (let repeats = 0; repeats < REPEATS_MAX; repeats++) {
    const key = new Bun.CryptoHasher('sha256')
      .update([storeId, work.hash, work.query, before].join('\n'))
      .digest('hex')
    const answer = await post(client, work, { 'idempotency-key': `import-${key}` })
    const started = (await answer.json()) as JobStarted
    if (!answer.headers.has('idempotent-replayed')) return started
    const known = (await (await client.send('GET', `/v1/jobs/${started.job_id}`)).json()) as Job
    if (known.finished_at === null) return started
    before = started.job_id
  }
  throw new OperatorError(`This file has been imported ${REPEATS_MAX} times today`)
}
