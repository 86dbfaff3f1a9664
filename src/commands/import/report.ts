import { counted } from '../../core/text.ts'
import type { Job } from '../../features/catalogue/jobs/schema.ts'
import type { Piece } from './pieces.ts'
import type { EndedPiece } from './send.ts'

/** Problems that are listed; the answers of the service hold more. */
const LISTED_MAX = 10

/** Joins lines, without control characters of a file that could steer the terminal. */
export const toPlainLines = (lines: readonly string[]): string =>
  lines.map((line) => line.replace(/\p{Cc}/gu, '?')).join('\n')

/** One product that was not written, and why. */
export interface Problem {
  place: string
  product_id: string | null
  error: string
  message: string
}

/** The end of an import, of one job or of several. */
export interface ImportResult {
  status: Job['status']
  total: number
  succeeded: number
  unchanged: number
  failed: number
  cancelled: number
  warnings: string[]
  problems: Problem[]
  jobs: { id: string; errorsUrl: string; failed: number }[]
  /** For `--json`: the job itself, or the sum of several. */
  json: object
}

/** Problems of all jobs together that JSON names, as a job names its own. */
const PROBLEMS_MAX = 100

/** Joins the jobs of the parts of a file. */
export function joinJobs(ended: readonly EndedPiece[]): ImportResult {
  const sorted = ended.toSorted((a, b) => a.piece.number - b.piece.number)
  const sum = (read: (job: Job) => number) => sorted.reduce((all, { job }) => all + read(job), 0)
  const problems = sorted.flatMap(({ problems }) => problems).slice(0, PROBLEMS_MAX)
  const counts = {
    status: joinStatus(sorted.map(({ job }) => job.status)),
    total: sum((job) => job.total),
    succeeded: sum((job) => job.succeeded),
    unchanged: sum((job) => job.unchanged),
    failed: sum((job) => job.failed),
    cancelled: sum((job) => job.cancelled),
    warnings: [...new Set(sorted.flatMap(({ job }) => job.warnings))],
  }
  const jobs = sorted.map(({ job }) => ({ id: job.job_id, errorsUrl: job.errors_url, failed: job.failed }))
  const [only, ...others] = sorted
  const json =
    only && others.length === 0 ? only.job : { ...counts, jobs: jobs.map(({ id }) => id), errors: problems }
  return { ...counts, problems, jobs, json }
}

function joinStatus(all: readonly Job['status'][]): Job['status'] {
  if (all.includes('cancelled')) return 'cancelled'
  return all.includes('completed') || all.length === 0 ? 'completed' : 'failed'
}

/** Where in the file the problems of a job lie. @param before products of the parts before it. */
export const locateProblems = (
  { errors }: Job,
  { toLine }: Pick<Piece, 'toLine'>,
  before: number,
): Problem[] =>
  errors.map(({ index, product_id, error, message, details }) => {
    // Only a row that was wrong itself knows its line.
    const line = typeof details?.['line'] === 'number' ? toLine(details['line']) : undefined
    const place = line === undefined ? `product ${before + index + 1} of the file` : `line ${line}`
    return { place, product_id, error, message }
  })

/** Formats the end of an import. */
export function formatJob(result: ImportResult): string {
  const { total, succeeded, unchanged, failed, cancelled, status, jobs, problems } = result
  const counts = [
    `${succeeded} written`,
    `${unchanged} unchanged`,
    `${failed} failed`,
    ...(cancelled > 0 ? [`${cancelled} cancelled`] : []),
  ]
  // The jobs have been named when they began.
  const end = status === 'completed' ? '' : ` (${status})`
  const wrong = jobs.filter((job) => job.failed > 0).slice(0, LISTED_MAX)
  return toPlainLines([
    `${counted(total, 'product')}: ${counts.join(', ')}${end}`,
    ...result.warnings,
    ...listProblems(problems, failed),
    ...(failed > Math.min(problems.length, LISTED_MAX)
      ? [`All of them: ${wrong.map(({ errorsUrl }) => `GET ${errorsUrl}`).join(', ')}`]
      : []),
  ])
}

/** Lists the first problems, one a line, and counts the rest. */
export function listProblems(problems: readonly Problem[], total: number): string[] {
  const listed = problems.slice(0, LISTED_MAX)
  return [
    ...listed.map(
      ({ place, product_id, error, message }) => `  ${place}  ${product_id ?? '-'}  ${error}: ${message}`,
    ),
    ...(total > listed.length ? [`  and ${total - listed.length} more`] : []),
  ]
}
