import { Elysia } from 'elysia'
import type { Actor } from '../../../core/actor.ts'
import { LIMITS } from '../../../core/limits.ts'
import { isMultipart, noBody } from '../../../http/body.ts'
import { FOR_STORE, failures, PICTURE_URL, WRITING } from '../../../http/failures.ts'
import { demandRight, type Guards } from '../../../http/guards.ts'
import { IDEMPOTENCY_KEY, REPEATABLE } from '../../../http/idempotency.ts'
import type { SpooledForm } from '../../../http/multipart/spooled-form.ts'
import type { Spool, SpooledBody } from '../../../http/spool.ts'
import { JobStarted } from '../jobs/schema.ts'
import type { DryRunRequest } from './dry-run.ts'
import { findFile, type ImportWish, readAgain, readJsonWish, readTextWish, toSource } from './requests.ts'
import { ImportAgainBody, ImportForm, ImportPreview, ImportQuery } from './schema.ts'
import type { ImportRequest, ImportService } from './service.ts'
import type { SizedFile, Uploads } from './uploads.ts'

export interface ImportRouteNeeds {
  spool: Spool
  uploads: Pick<Uploads, 'keep' | 'use'>
  readForm(body: SpooledBody, type: string): Promise<SpooledForm>
  /** @throws ApiError for an address that gets no callback. */
  checkCallbackUrl(url: unknown): string | null
}

interface Received {
  request: Request
  actor: Actor
  query: ImportQuery
}

/** A request that has arrived. */
interface Sent {
  wish: ImportWish
  /** SHA-256 of the body, hexadecimal. */
  hash: string
  /** Does something with its file, or with the kept one that it names. @throws ApiError `not_found` for one that has ended. */
  withFile<Result>(
    work: (asked: ImportRequest, keep: DryRunRequest['keep']) => Promise<Result>,
  ): Promise<Result>
}

/** Contract 2.12: products from the file of a shop. */
export function importRoutes(
  { forStore, idempotency }: Pick<Guards, 'forStore' | 'idempotency'>,
  imports: ImportService,
  { spool, uploads, readForm, checkCallbackUrl }: ImportRouteNeeds,
) {
  /** Takes in a request, does the work with it, and removes what nobody keeps. */
  async function receive<Result>(
    { request, actor, query }: Received,
    work: (sent: Sent) => Promise<Result>,
  ): Promise<Result> {
    const { storeId } = actor
    await using body = await spool.receive(request, storeId, LIMITS.bulkBytesMax)
    const hash = body.hash.toString('hex')
    const ask = (wish: ImportWish, file: SizedFile): ImportRequest => ({
      file: { ...file, format: wish.format ?? file.format },
      mapping: wish.mapping,
      signal: request.signal,
      callbackUrl: wish.callbackUrl === undefined ? null : checkCallbackUrl(wish.callbackUrl),
      deletesMissing: wish.deletesMissing,
      source: toSource(request, file),
    })
    const again = await readAgain(request, body)
    if (again) {
      const wish = readJsonWish(again, query)
      return await work({
        ...{ wish, hash },
        withFile: (work) =>
          uploads.use(storeId, again.upload_id, (file, keepOn) =>
            work(ask(wish, file), async () => keepOn()),
          ),
      })
    }
    const type = request.headers.get('content-type') ?? ''
    await using form = isMultipart(request) ? await readForm(body, type) : undefined
    const wish = readTextWish((name) => form?.fields.get(name) ?? query[name])
    const file = findFile(body, form, type)
    const asked = ask(wish, file)
    return await work({
      ...{ wish, hash },
      withFile: (work) => work(asked, () => uploads.keep(storeId, file)),
    })
  }

  return new Elysia({ name: 'imports.routes', prefix: '/v1/products', tags: ['Products'] })
    .use(forStore)
    .post(
      '/import',
      ({ request, path, actor, set, query }) =>
        receive({ request, actor, query }, async ({ wish, hash, withFile }) => {
          actor.demandStill()
          const { sample } = wish
          if (wish.isDryRun)
            return withFile((asked, keep) => imports.preview(actor.storeId, { ...asked, sample, keep }))
          if (wish.deletesMissing) actor.demand((identity) => demandRight(identity, 'products:delete'))
          // The bytes of the body stand for it. A repeated request gets its answer even if its upload has ended since.
          const context = { request, path, actor, set, body: { sha256: hash, ...query } }
          return idempotency.answer(context, async () => ({
            status: 202 as const,
            body: await withFile((asked) => imports.start(actor.store, asked, actor)),
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
            ['conflict', 'More than 20 % of the products would go, or rows of the file name none.'],
            ['not_found', 'The upload has ended, or it is one of another store.'],
            ...REPEATABLE,
          ),
        },
        detail: {
          operationId: 'importProducts',
          summary: 'Import products from a file of a shop in the background',
          description:
            'Takes exports of Shopify and WooCommerce, feeds for Google Merchant, and tables of your own. Send a form with the file, or the file itself as the body. `dry_run` answers at once with what would be imported, and keeps the file for 30 minutes: send its `upload_id` as JSON in place of the file.',
          parameters: [IDEMPOTENCY_KEY],
          requestBody: {
            required: true,
            content: {
              'multipart/form-data': { schema: ImportForm as object },
              'application/json': { schema: ImportAgainBody as object },
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
