import type { ImportPreview } from '../features/catalogue/imports/schema.ts'
import type { Job } from '../features/catalogue/jobs/schema.ts'

/** Problems that are listed; the answers of the service hold more. */
const LISTED_MAX = 10

/** What a file says must not steer the terminal. */
const toPlainLines = (lines: readonly string[]): string =>
  lines.map((line) => line.replace(/\p{Cc}/gu, '?')).join('\n')

interface Problem {
  place: string
  product_id: string | null
  error: string
  message: string
}

/** Formats the end of an import. */
export function formatJob(job: Job): string {
  const { succeeded, unchanged, failed, cancelled, status, job_id } = job
  const counts = [
    `${succeeded} written`,
    `${unchanged} unchanged`,
    `${failed} failed`,
    ...(cancelled > 0 ? [`${cancelled} cancelled`] : []),
  ]
  const problems = job.errors.map((item) => ({ ...item, place: findPlace(item) }))
  return toPlainLines([
    `${job.total} products: ${counts.join(', ')} (job ${job_id}, ${status})`,
    ...job.warnings,
    ...listProblems(problems, failed),
    ...(failed > Math.min(problems.length, LISTED_MAX) ? [`All of them: GET ${job.errors_url}`] : []),
  ])
}

/** Only a row that was wrong itself knows its line. */
const findPlace = ({ index, details }: Job['errors'][number]): string =>
  typeof details?.['line'] === 'number' ? `line ${details['line']}` : `product ${index + 1} of the file`

/** Formats what an import would do. */
export function formatPreview(preview: ImportPreview): string {
  const { total, valid, invalid, hidden, format, packing, encoding, platform, mapping } = preview
  const packed = packing === 'none' ? '' : `, ${packing}`
  return toPlainLines([
    `${total} products: ${valid} valid, ${invalid} invalid, ${hidden} hidden; nothing was written`,
    `Format: ${format}${packed}, ${encoding}, columns of ${platform}`,
    ...Object.entries(mapping).map(([field, columns]) => `  ${field} from ${columns.join(', ')}`),
    ...(preview.unmapped_columns.length > 0 ? [`Not read: ${preview.unmapped_columns.join(', ')}`] : []),
    ...preview.warnings,
    ...preview.products.map(
      ({ line, product_id, picture }) =>
        `  line ${line}  ${product_id}  ${'error' in picture ? `${picture.error}: ${picture.message}` : `${picture.width} × ${picture.height}`}`,
    ),
    ...listProblems(
      preview.errors.map((item) => ({ ...item, place: `line ${item.line}` })),
      invalid,
    ),
  ])
}

function listProblems(problems: readonly Problem[], total: number): string[] {
  const listed = problems.slice(0, LISTED_MAX)
  return [
    ...listed.map(
      ({ place, product_id, error, message }) => `  ${place}  ${product_id ?? '-'}  ${error}: ${message}`,
    ),
    ...(total > listed.length ? [`  and ${total - listed.length} more`] : []),
  ]
}
