import { Type } from '@sinclair/typebox'
import { t } from 'elysia'
import { LIMITS } from '../../../core/limits.ts'
import { named } from '../../../http/openapi/named.ts'
import { oneOf } from '../../../http/schema.ts'
import { text } from '../../../http/text-schema.ts'
import { Metadata, ThumbnailUrl } from '../products/schema.ts'
import { TABLE_FORMATS, type TableFormat } from './formats/table.ts'
import { PLATFORMS } from './mapping/mapping.ts'

const COLUMN_CHARS_MAX = 200
const COLUMNS_MAX = 20

const Column = text({ minLength: 1, maxLength: COLUMN_CHARS_MAX })

/** Which columns fill which fields, as a client says it. */
export const MappingBody = t.Record(
  t.String(),
  t.Union([Column, t.Array(Column, { maxItems: COLUMNS_MAX })]),
  {
    maxProperties: 100,
    description:
      'Columns by the field that they fill, where the names of the columns do not tell: a name, or several of which the first with a value counts. An empty list leaves a field out.',
    examples: [{ product_id: 'Article', image_url: 'Photo', 'metadata.material': ['Material', 'Fabric'] }],
  },
)
export type MappingBody = typeof MappingBody.static

const Format = oneOf(TABLE_FORMATS, 'Where the name and the content of the file do not tell.')

/** One union, because the API's document would lose the null of a choice within a choice. */
export const FormatOrNull = Type.Unsafe<TableFormat | null>(
  t.Union([...TABLE_FORMATS.map((format) => t.Literal(format)), t.Null()], {
    description: 'null: the content tells.',
  }),
)

const { importSampleMin, importSampleMax } = LIMITS
const SAMPLE = { minimum: importSampleMin, maximum: importSampleMax, default: importSampleMin }

const WISHES = {
  dry_run: t.Optional(t.Boolean({ description: 'Show what would be imported, and write nothing.' })),
  sample: t.Optional(Type.Integer({ ...SAMPLE, description: 'Products that a dry run shows.' })),
  delete_missing: t.Optional(
    t.Boolean({
      description:
        'Delete the products of the store that the file does not name; needs `products:delete`, too. Refused (409) if more than 20 % would go.',
    }),
  ),
  force_delete: t.Optional(
    t.Boolean({ description: 'With `delete_missing`: delete them however many they are.' }),
  ),
  callback_url: t.Optional(t.String({ description: 'Gets one request when the job is over.' })),
}

/** A form with the file, for the API's document. */
export const ImportForm = named(
  'ImportForm',
  t.Object({
    file: t.String({
      format: 'binary',
      description:
        'CSV, TSV, NDJSON or XML (Google Merchant), also packed with gzip; or a zip file with one table and the pictures that it names.',
    }),
    mapping: t.Optional(MappingBody),
    format: t.Optional(Format),
    ...WISHES,
  }),
)

/** The body that names the upload of a dry run in place of a file. */
export const ImportAgainBody = named(
  'ImportAgain',
  t.Object(
    {
      upload_id: text({ maxLength: 100, description: 'As the dry run has answered it.' }),
      mapping: t.Optional(MappingBody),
      format: t.Optional(Format),
      ...WISHES,
    },
    { additionalProperties: true },
  ),
  { upload_id: '01920000-0000-7000-8000-000000000000', mapping: { 'metadata.material': 'Fabric' } },
)
export type ImportAgain = typeof ImportAgainBody.static

/** The same as parameters, for a body that is the file itself. */
export const ImportQuery = t.Object({
  mapping: t.Optional(t.String({ description: 'The mapping as JSON.' })),
  format: t.Optional(t.String({ description: 'csv, tsv, ndjson or xml.' })),
  dry_run: t.Optional(t.String({ description: '`true` or `false`.' })),
  sample: t.Optional(t.String({ description: `${importSampleMin} to ${importSampleMax}.` })),
  delete_missing: t.Optional(t.String({ description: '`true` or `false`.' })),
  force_delete: t.Optional(t.String({ description: '`true` or `false`.' })),
  callback_url: t.Optional(t.String()),
})
export type ImportQuery = typeof ImportQuery.static

const Problem = named(
  'ImportProblem',
  t.Object({
    line: Type.Integer({ description: 'Where the row begins in the file, from 1.' }),
    product_id: t.Union([t.String(), t.Null()]),
    error: t.String({ description: 'A code, as in the answers to single requests.' }),
    message: t.String(),
    details: t.Optional(t.Record(t.String(), t.Unknown())),
  }),
)
export type Problem = typeof Problem.static

const PreviewPicture = named(
  'PreviewPicture',
  t.Union([
    t.Object({
      width: Type.Integer(),
      height: Type.Integer(),
      thumbnail: t.String({ description: 'A small WebP picture as a `data:` URI.' }),
    }),
    t.Object({
      error: t.String(),
      message: t.String(),
      details: t.Optional(
        t.Record(t.String(), t.Unknown(), { description: 'As in the answers to single requests.' }),
      ),
    }),
  ]),
)

const PreviewProduct = named(
  'PreviewProduct',
  t.Object({
    line: Type.Integer(),
    product_id: t.String(),
    image_url: t.String(),
    thumbnail_url: ThumbnailUrl,
    additional_image_urls: t.Array(t.String()),
    metadata: Metadata,
    picture: PreviewPicture,
  }),
)
export type PreviewProduct = typeof PreviewProduct.static

const Loss = named(
  'ImportLoss',
  t.Object({
    field: t.String({ description: 'A column that nothing reads.' }),
    count: Type.Integer({ description: 'In how many of the first 50 rows it has a value.' }),
    example: t.String({ description: 'The first of them, cut to 100 characters.' }),
  }),
)
export type Loss = typeof Loss.static

/** What a dry run may find. Codes stay; later versions may add more. */
export const FINDING_CODES = [
  ...(['encoding_guessed', 'column_unknown', 'price_without_tax', 'fields_without_column'] as const),
  ...(['results_without_links', 'prices_without_currency'] as const),
  ...(['sale_not_below_price', 'sale_dates_unreadable', 'category_too_deep'] as const),
  ...(['parent_missing', 'parent_not_kept', 'products_hidden', 'vectors_of_another_model'] as const),
  ...(['dry_run_stopped', 'file_not_kept'] as const),
] as const

const Finding = named(
  'ImportFinding',
  t.Object({
    code: oneOf(FINDING_CODES),
    text: t.String({ description: 'The same for people, as in `warnings`; may change.' }),
    data: t.Record(t.String(), t.Unknown(), {
      description:
        'The numbers and names of the text, by code: `products`, `fields`, `column`, `encoding`, `line`.',
    }),
  }),
)
export type Finding = typeof Finding.static

const Difference = named(
  'ImportDifference',
  t.Object({
    new: Type.Integer({ description: 'Products that the store does not have.' }),
    changed: Type.Integer({
      description:
        'Products whose metadata or addresses of pictures differ. What a picture shows is not compared.',
    }),
    unchanged: Type.Integer(),
    gone: Type.Integer({
      description:
        'Products of the store that the file does not name; an import leaves them as they are. Demo products do not count.',
    }),
  }),
)

export const ImportPreview = named(
  'ImportPreview',
  t.Object({
    dry_run: t.Literal(true),
    upload_id: t.Union([t.String(), t.Null()], {
      description:
        'Stands for the file in further dry runs and in the import, as JSON. null while the service has no room for it.',
    }),
    upload_expires_at: t.Union([t.String(), t.Null()], {
      description: '30 minutes from now. A restart of the service, or three newer uploads, end it before.',
    }),
    format: oneOf(TABLE_FORMATS),
    packing: oneOf(['none', 'gzip', 'zip'] as const),
    encoding: t.String(),
    platform: oneOf(PLATFORMS, 'Whose export the columns look like.'),
    columns: t.Array(t.String()),
    samples: t.Record(t.String(), t.Array(t.String()), {
      description:
        'By column, the first 5 distinct values of the first 50 rows, each cut to 100 characters; empty for NDJSON.',
    }),
    mapping: t.Record(t.String(), t.Array(t.String()), {
      description: 'The columns that are read, by field.',
    }),
    unmapped_columns: t.Array(t.String(), { description: 'Columns that nothing reads.' }),
    columns_you_may_want: t.Array(t.String(), {
      description:
        'Those of them that have values and may say something of the products; the others are known to be of no use for a search. Keep one with a mapping such as `{"metadata.material": "Fabric"}`.',
    }),
    losses: t.Array(Loss, { description: 'The same columns with an example.' }),
    diff: Difference,
    total: Type.Integer({ description: 'Products in the file.' }),
    valid: Type.Integer({
      description: 'Products that the import would write, as far as this can be told without their pictures.',
    }),
    invalid: Type.Integer(),
    hidden: Type.Integer({
      description: 'Drafts and products that the shop does not show; they are left out.',
    }),
    warnings: t.Array(t.String()),
    findings: t.Array(Finding, { description: 'The same warnings, each with a code for programs.' }),
    products: t.Array(PreviewProduct, { description: 'The first products as they would be stored.' }),
    errors: t.Array(Problem, { description: 'The first problems.' }),
    errors_truncated: t.Boolean(),
  }),
)
export type ImportPreview = typeof ImportPreview.static
