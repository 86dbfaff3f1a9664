import { Elysia } from 'elysia'
import type { ApiError } from '../../../core/errors.ts'
import { LIMITS } from '../../../core/limits.ts'
import { isMultipart, noBody } from '../../../http/body.ts'
import { FOR_STORE, failures, PICTURE_URL, WRITING } from '../../../http/failures.ts'
import type { Guards } from '../../../http/guards.ts'
import { IDEMPOTENCY_KEY, REPEATABLE } from '../../../http/idempotency.ts'
import type { SpooledForm } from '../../../http/multipart/spooled-form.ts'
import type { Spool, SpooledBody } from '../../../http/spool.ts'
import { findProblems, validationError } from '../../../http/validation.ts'
import { JobStarted } from '../jobs/schema.ts'
import { TABLE_FORMATS, type TableFormat } from './formats/table.ts'
import { ImportForm, ImportPreview, ImportQuery, MappingBody } from './schema.ts'
import type { ImportRequest, ImportService } from './service.ts'

export interface ImportRouteNeeds {
  spool: Spool
  readForm(body: SpooledBody, type: string): Promise<SpooledForm>
  /** @throws ApiError for an address that gets no callback. */
  checkCallbackUrl(url: unknown): string | null
}

/** Contract 2.12: products from the file of a shop. */
export function importRoutes(
  { forStore, idempotency }: Pick<Guards, 'forStore' | 'idempotency'>,
  imports: ImportService,
  { spool, readForm, checkCallbackUrl }: ImportRouteNeeds,
) {
  const receive = async <Result>(
    request: Request,
    storeId: string,
    query: ImportQuery,
    work: (sent: { asked: ImportRequest; isDryRun: boolean; hash: string }) => Promise<Result>,
  ): Promise<Result> => {
    await using body = await spool.receive(request, storeId, LIMITS.bulkBytesMax)
    const type = request.headers.get('content-type') ?? ''
    await using form = isMultipart(request) ? await readForm(body, type) : undefined
    const read = (name: keyof ImportQuery) => form?.fields.get(name) ?? query[name]
    const callbackUrl = read('callback_url')
    return await work({
      asked: {
        file: { ...findFile(body, form, type), format: readFormat(read('format')) },
        mapping: readMapping(read('mapping')),
        signal: request.signal,
        callbackUrl: callbackUrl === undefined ? null : checkCallbackUrl(callbackUrl),
      },
      isDryRun: readSwitch(read('dry_run')),
      hash: body.hash.toString('hex'),
    })
  }

  return new Elysia({ name: 'imports.routes', prefix: '/v1/products', tags: ['Products'] })
    .use(forStore)
    .post(
      '/import',
      ({ request, path, actor, set, query }) =>
        receive(request, actor.storeId, query, async ({ asked, isDryRun, hash }) => {
          actor.demandStill()
          if (isDryRun) return imports.preview(actor.storeId, asked)
          // The bytes of the body stand for it.
          const context = { request, path, actor, set, body: { sha256: hash, ...query } }
          return idempotency.answer(context, async () => ({
            status: 202 as const,
            body: await imports.start(actor.store, asked, actor),
          }))
        }),
      {
        can: 'products:bulk',
        parse: noBody,
        query: ImportQuery,
        response: {
          200: ImportPreview,
          202: JobStarted,
          ...failures(
            ...FOR_STORE,
            ...WRITING,
            ...PICTURE_URL,
            'invalid_request',
            'payload_too_large',
            'validation_error',
            ...REPEATABLE,
          ),
        },
        detail: {
          operationId: 'importProducts',
          summary: 'Import products from a file of a shop in the background',
          description:
            'Takes exports of Shopify and WooCommerce, feeds for Google Merchant, and tables of your own. Send a form with the file, or the file itself as the body. `dry_run` answers at once with what would be imported.',
          parameters: [IDEMPOTENCY_KEY],
          requestBody: {
            required: true,
            content: {
              'multipart/form-data': { schema: ImportForm as object },
              'text/csv': {
                schema: { type: 'string' },
                example:
                  'product_id,name,price,image_url\nsku-1,Red mug,14.5,https://shop.example/red-mug.jpg\n',
              },
              'application/octet-stream': { schema: { type: 'string', format: 'binary' } },
            },
          },
        },
      },
    )
}

function findFile(body: SpooledBody, form: SpooledForm | undefined, type: string): ImportRequest['file'] {
  if (!form) {
    if (body.sizeBytes === 0) throw wrong('/file', 'required', 'is required')
    return { path: body.path, open: body.pieces, name: type.split(';')[0]?.trim() }
  }
  if (!form.file) throw wrong('/file', 'required', 'is required')
  return { path: form.file.path, open: form.file.pieces, name: form.file.name }
}

function readFormat(value: string | undefined): TableFormat | undefined {
  if (value === undefined || value === '') return undefined
  const format = TABLE_FORMATS.find((name) => name === value)
  if (!format) throw wrong('/format', 'enum', `must be one of ${TABLE_FORMATS.join(', ')}`)
  return format
}

function readSwitch(value: string | undefined): boolean {
  if (value === undefined || value === '' || value === 'false') return false
  if (value !== 'true') throw wrong('/dry_run', 'type', 'must be true or false')
  return true
}

function readMapping(value: string | undefined): MappingBody | undefined {
  if (value === undefined || value.trim() === '') return undefined
  let mapping: unknown
  try {
    mapping = JSON.parse(value)
  } catch {
    throw wrong('/mapping', 'type', 'must be a JSON object')
  }
  const problems = findProblems(MappingBody, mapping, 'body')
  if (problems.length > 0) {
    throw validationError(problems.map((problem) => ({ ...problem, pointer: `/mapping${problem.pointer}` })))
  }
  return mapping as MappingBody
}

const wrong = (pointer: string, code: string, message: string): ApiError =>
  validationError([{ in: 'body', pointer, code, message }])
