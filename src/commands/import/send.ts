import type { ImportPreview } from '../../features/catalogue/imports/schema.ts'
import type { Job, JobStarted, JobSummary } from '../../features/catalogue/jobs/schema.ts'
import type { Progress } from '../cli/progress.ts'
import { type ServiceClient, ServiceRefusal } from '../client/service-client.ts'
import type { Piece, Pieces } from './pieces.ts'
import type { ProgressFile } from './progress-file.ts'
import { locateProblems, type Problem } from './report.ts'

/** A piece whose job is over. */
export interface EndedPiece {
  piece: Piece
  job: Job
  problems: Problem[]
}

export interface Sending {
  client: ServiceClient
  pieces: Pieces
  file: ProgressFile
  progress: Progress
  /** Told of each job: a new one, or one of an earlier run that goes on. */
  onJob(piece: Piece, jobId: string, total: number): void
  /** Told of each job that is over. */
  onEnd(ended: EndedPiece): void
}

/** Jobs that are under way at a time: while the service works on one, the next is sent. */
const UNDER_WAY_MAX = 2

/**
 * Sends pieces as jobs, one after the other, and follows them to their end. Goes on behind what an earlier run has sent.
 * A cancelled job ends it, and nothing more is sent.
 *
 * @throws OperatorError, or the reason of the client's signal; what was sent stays noted.
 */
export async function sendPieces(sending: Sending): Promise<void> {
  const { client, pieces, file, progress, onJob, onEnd } = sending
  const states = new Map<number, JobSummary>()
  const totals = new Map<number, number>()
  const inFlight = new Set<Promise<void>>()
  let failure: { error: unknown } | undefined
  let isCancelled = false
  let pace: { at: number; processed: number } | undefined

  const known = await findKnown(client, file)

  function show(): void {
    const jobs = [...states.values()]
    const sum = (read: (job: JobSummary) => number) => jobs.reduce((total, job) => total + read(job), 0)
    const [only] = jobs
    if (pieces.list.length === 1 && only) {
      progress.show(only)
      return
    }
    const processed = sum((job) => job.processed)
    const total = pieces.list.reduce((all, { number, products }) => all + (totals.get(number) ?? products), 0)
    const now = performance.now()
    pace ??= { at: now, processed }
    const done = processed - pace.processed
    const left = done === 0 ? null : ((now - pace.at) / 1_000 / done) * (total - processed)
    progress.show({
      processed,
      total,
      failed: sum((job) => job.failed),
      eta_seconds: left,
      progress: total === 0 ? 1 : processed / total,
    })
  }

  function end(piece: Piece, job: Job): void {
    states.set(piece.number, job)
    if (job.status === 'cancelled') isCancelled = true
    const before = pieces.list
      .slice(0, piece.number)
      .reduce((sum, { number, products }) => sum + (totals.get(number) ?? products), 0)
    onEnd({ piece, job, problems: locateProblems(job, piece, before) })
    piece.forget()
  }

  function follow(piece: Piece, jobId: string): void {
    const tell = (job: JobSummary) => {
      states.set(piece.number, job)
      show()
    }
    const work: Promise<void> = client
      .follow(jobId, tell)
      .then((job) => end(piece, job))
      .catch((error) => {
        failure ??= { error }
      })
      .finally(() => inFlight.delete(work))
    inFlight.add(work)
  }

  async function waitUntilAtMost(max: number): Promise<void> {
    while (inFlight.size > max && !failure) await Promise.race(inFlight)
    if (failure) throw failure.error
  }

  for (const piece of pieces.list) {
    const job = known[piece.number]
    if (job) {
      totals.set(piece.number, job.total)
      if (job.finished_at !== null) {
        end(piece, job)
        continue
      }
    } else {
      await waitUntilAtMost(UNDER_WAY_MAX - 1)
      if (isCancelled) break
    }
    const { job_id, total } = job ?? (await start(sending, piece))
    totals.set(piece.number, total)
    onJob(piece, job_id, total)
    follow(piece, job_id)
  }
  await waitUntilAtMost(0)
  await file.end()
}

/** The jobs of an earlier run; none if any of them is gone. */
async function findKnown(client: ServiceClient, file: ProgressFile): Promise<Job[]> {
  const jobs: Job[] = []
  try {
    for (const id of file.state.jobs) jobs.push(await client.readJob(id))
    if (jobs.length > 0) return jobs
    // The name of the run must lie on the disk before the first piece is sent under it.
    await file.save()
  } catch (error) {
    if (!(error instanceof ServiceRefusal && error.status === 404)) throw error
    await file.begin()
  }
  return []
}

/** Starts the job of a piece, or finds the one that a run has started that died before it noted that. */
async function start({ client, pieces, file }: Sending, piece: Piece): Promise<JobStarted> {
  const key = new Bun.CryptoHasher('sha256').update(`${file.state.run}\n${piece.number}`).digest('hex')
  const answer = await client.send('POST', `/v1/products/import?${pieces.query}`, {
    headers: { 'content-type': 'application/octet-stream', 'idempotency-key': `import-${key}` },
    body: await piece.load(),
  })
  const started = (await answer.json()) as JobStarted
  await file.add(started.job_id)
  return started
}

/** Shows what an import of all pieces would do. @returns one preview of them all. */
export async function previewPieces(client: ServiceClient, pieces: Pieces): Promise<ImportPreview> {
  const query = new URLSearchParams(pieces.query)
  query.set('dry_run', 'true')
  let all: ImportPreview | undefined
  for (const piece of pieces.list) {
    const answer = await client.send('POST', `/v1/products/import?${query}`, {
      headers: { 'content-type': 'application/octet-stream' },
      body: await piece.load(),
    })
    const next = withLines((await answer.json()) as ImportPreview, piece)
    all = all ? addPreview(all, next) : next
    piece.forget()
  }
  if (!all) throw new Error('a plan has at least one piece')
  return all
}

function withLines(preview: ImportPreview, { toLine }: Piece): ImportPreview {
  const move = <Item extends { line: number }>(item: Item): Item => ({
    ...item,
    line: toLine(item.line) ?? 0,
  })
  return { ...preview, products: preview.products.map(move), errors: preview.errors.map(move) }
}

/** The problems that a preview of several pieces lists, as that of one does. */
const PROBLEMS_MAX = 20

function addPreview(all: ImportPreview, next: ImportPreview): ImportPreview {
  const errors = [...all.errors, ...next.errors].slice(0, PROBLEMS_MAX)
  const invalid = all.invalid + next.invalid
  return {
    ...all,
    invalid,
    errors,
    total: all.total + next.total,
    valid: all.valid + next.valid,
    hidden: all.hidden + next.hidden,
    diff: addDifference(all.diff, next.diff),
    warnings: [...new Set([...all.warnings, ...next.warnings])],
    errors_truncated: invalid > errors.length,
  }
}

/** The parts before counted as gone what this one names. */
const addDifference = (all: ImportPreview['diff'], next: ImportPreview['diff']): ImportPreview['diff'] => ({
  new: all.new + next.new,
  changed: all.changed + next.changed,
  unchanged: all.unchanged + next.unchanged,
  gone: Math.max(0, all.gone - next.changed - next.unchanged),
})
