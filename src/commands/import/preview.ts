import { counted } from '../../core/text.ts'
import type { ImportPreview, PreviewProduct } from '../../features/catalogue/imports/schema.ts'
import { formatPrice } from '../cli/price.ts'
import { formatTable } from '../cli/table.ts'
import { listProblems, toPlainLines } from './report.ts'

/** The longest cell that is shown whole. */
const CELL_CHARS_MAX = 40

/** Columns that are listed as worth keeping. */
const LOSSES_MAX = 12

/** Formats what an import would do: counts, the first products as a person reads them, and what would be lost. */
export function formatPreview(preview: ImportPreview): string {
  const { total, valid, invalid, hidden, warnings, errors } = preview
  const problems = listProblems(
    errors.map((item) => ({ ...item, place: `line ${item.line}` })),
    invalid,
  )
  return [
    [
      `${counted(total, 'product')}: ${valid} valid, ${invalid} invalid, ${hidden} hidden; nothing was written`,
      formatDifference(preview.diff),
    ],
    formatProducts(preview.products),
    [...formatReading(preview), ...formatLosses(preview)],
    warnings.map((warning) => toPlainLines([warning])),
    problems.map((problem) => toPlainLines([problem])),
  ]
    .filter((block) => block.length > 0)
    .map((block) => block.join('\n'))
    .join('\n\n')
}

function formatDifference({ new: fresh, changed, unchanged, gone }: ImportPreview['diff']): string {
  const left = gone === 0 ? '' : `, ${gone} in the store but not in this file`
  return `Against the store: ${fresh} new, ${changed} changed, ${unchanged} unchanged${left}`
}

function formatProducts(products: readonly PreviewProduct[]): string[] {
  if (products.length === 0) return []
  const rows = products.map(({ line, product_id, metadata, picture }) => [
    ...[String(line), product_id, toCell(metadata['name']), toCell(metadata['category'])],
    toCell(formatPrice(metadata)),
    { true: 'yes', false: 'sold out' }[String(metadata['in_stock'])] ?? '',
    'error' in picture ? `failed (${picture.error})` : `${picture.width} × ${picture.height}`,
  ])
  const head = ['LINE', 'PRODUCT_ID', 'NAME', 'CATEGORY', 'PRICE', 'STOCK', 'PICTURE']
  const table = formatTable([head, ...rows]).replace(/^/gm, '  ')
  return [table, ...describeFailures(products)]
}

/** Why pictures failed: once for all that failed for the same reason. */
function describeFailures(products: readonly PreviewProduct[]): string[] {
  const failed = products.flatMap(({ picture }) => ('error' in picture ? [picture.message] : []))
  const [first] = failed
  if (first === undefined) return []
  const what = `${failed.length} of ${products.length} tried pictures failed`
  const isSame = failed.every((message) => withoutUrl(message) === withoutUrl(first))
  return isSame
    ? [toPlainLines([`${what}: ${first}`])]
    : [`${what}:`, toPlainLines(failed.map((message) => `  ${message}`))]
}

const withoutUrl = (message: string): string => message.replace(/(?<!\S)\S*:\/\/\S*/g, '…')

function formatReading({ format, packing, encoding, platform, mapping }: ImportPreview): string[] {
  const packed = packing === 'none' ? '' : `, ${packing}`
  const rows = Object.entries(mapping).map(([field, columns]) => [field, toCell(columns.join(', '), 80)])
  const reading = `Read as ${platform === 'plain' ? 'a plain table' : `a file of ${platform}`} (${format}${packed}, ${encoding})`
  return [reading, ...(rows.length > 0 ? [formatTable(rows).replace(/^/gm, '  ')] : [])]
}

/** The columns that nothing reads: those worth a look with an example, the others as a number. */
function formatLosses({ losses, unmapped_columns }: ImportPreview): string[] {
  const others = unmapped_columns.length - losses.length
  const shown = losses.slice(0, LOSSES_MAX)
  const [first] = shown
  const rows = shown.map(({ field, example }) => [toCell(field), `"${toCell(example, 60)}"`])
  const more = losses.length > shown.length ? [`  and ${losses.length - shown.length} more`] : []
  return [
    ...(others > 0 ? [`Not needed: ${counted(others, 'column')}`] : []),
    ...(first
      ? [
          'Not read, but you may want:',
          formatTable(rows).replace(/^/gm, '  '),
          ...more,
          `Keep one with --map ${quote(`metadata.${toKey(first.field)}=${first.field}`)}`,
        ]
      : []),
  ]
}

/** A key of the metadata for a column, as in `Fabric care` → `fabric_care`. */
const toKey = (column: string): string =>
  column
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, '_')
    .replace(/^_|_$/g, '') || 'more'

const quote = (word: string): string => `'${word.replaceAll("'", `'\\''`)}'`

function toCell(value: unknown, max = CELL_CHARS_MAX): string {
  const text = value === undefined || value === null ? '' : String(value)
  const characters = Array.from(text)
  return characters.length > max ? `${characters.slice(0, max - 1).join('')}…` : text
}
