import type { Problem } from '../../../../core/problem.ts'
import type { Field, Plan } from './mapping.ts'
import { type Sample, suggestColumn } from './sample.ts'

/** Columns that a message names; a shop's export has about fifty. */
const COLUMNS_NAMED = 60
const NAME_CHARS_MAX = 80

/** The fields without which no row can become a product. */
export const listMissingFields = ({ mapping }: Plan): Field[] =>
  (['product_id', 'image_url'] as const).filter((field) => mapping[field] === undefined)

/** Fields that a shopper sees and that no column fills. */
export const listBareFields = ({ mapping }: Plan): Field[] =>
  (['name', 'price', 'category'] as const).filter((field) => mapping[field] === undefined)

const WITHOUT_PICTURES =
  'none holds the addresses of pictures. Add a column with them, or one with the names of picture files and put the table ' +
  'and the files into one zip file; a column that has them is named in mapping, as {"image_url":"…"}'

/** Says what keeps a table from being imported, with the mapping to send. Empty if nothing does. */
export function explainColumns(plan: Plan, columns: readonly string[], sample: Sample): Problem[] {
  const named = columns.filter((column) => column !== '').map((column) => column.slice(0, NAME_CHARS_MAX))
  const rest = named.length - COLUMNS_NAMED
  const list = `${named.slice(0, COLUMNS_NAMED).join(', ')}${rest > 0 ? ` and ${rest} more` : ''}`
  const missing = listMissingFields(plan).map((field) => {
    const column = suggestColumn(field, columns, sample)?.slice(0, NAME_CHARS_MAX)
    const cure =
      column === undefined
        ? WITHOUT_PICTURES
        : `name it in mapping, for example ${JSON.stringify({ [field]: column })}`
    const message = `No column fills ${field}: ${cure}. The file has ${list}`
    return { in: 'body', pointer: '/mapping', code: 'column_missing', message } as const
  })
  if (!plan.pages) return missing
  const { column, example } = plan.pages
  const message =
    `The column ${column.slice(0, NAME_CHARS_MAX)} holds the addresses of pages, such as ${example}, and a picture is needed: ` +
    'name the column with the addresses of the pictures (.jpg, .png, .webp) in mapping, as {"image_url":"…"}. ' +
    `The file has ${list}`
  return [...missing, { in: 'body', pointer: '/mapping', code: 'pages_not_pictures', message }]
}
