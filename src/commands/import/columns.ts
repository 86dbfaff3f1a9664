import { OperatorError } from '../../core/operator-error.ts'
import { listValues, readSample } from '../../features/catalogue/imports/mapping/sample.ts'
import { formatTable } from '../cli/table.ts'
import type { ServiceRefusal } from '../client/service-client.ts'
import type { ImportUpload } from './upload.ts'

/** The longest beginning of a value that is shown. */
const VALUE_CHARS_MAX = 60

/** Problems of a table whose columns the service cannot place. */
const OF_COLUMNS: ReadonlySet<string> = new Set(['column_missing', 'column_unknown', 'pages_not_pictures'])

/**
 * Says what a table lacks in the words of the command line: the flag to add, and every column with its first value.
 *
 * @returns the refusal itself if it is about something else.
 */
export async function explainColumns(refusal: ServiceRefusal, upload: ImportUpload): Promise<OperatorError> {
  const problems = refusal.problems.filter(({ code }) => OF_COLUMNS.has(code))
  if (problems.length === 0) return refusal
  const lines = problems.map(
    ({ message }) => message.split(/(?:: name it in mapping|\. The file has )/)[0] ?? message,
  )
  const field = problems.some(({ message }) => message.includes('product_id')) ? 'product_id' : 'image_url'
  return new OperatorError(
    [
      ...lines,
      `Name the column with --map ${field}=COLUMN. The file has these:`,
      (await listColumns(upload)).replace(/^/gm, '  '),
    ].join('\n'),
  )
}

async function listColumns(upload: ImportUpload): Promise<string> {
  const source = await upload.open()
  try {
    const sample = await readSample(source)
    const rows = source.table.columns.map((column) => [column, shorten(listValues(sample, column)[0] ?? '')])
    return formatTable([['COLUMN', 'FIRST VALUE'], ...rows])
  } finally {
    source.close()
  }
}

function shorten(value: string): string {
  const characters = Array.from(value.replace(/\s+/g, ' '))
  return characters.length > VALUE_CHARS_MAX
    ? `${characters.slice(0, VALUE_CHARS_MAX - 1).join('')}…`
    : characters.join('')
}
