import { systemClock } from '../../core/clock.ts'
import { LIMITS } from '../../core/limits.ts'
import { OperatorError } from '../../core/operator-error.ts'
import { counted } from '../../core/text.ts'
import type { DeletedProducts } from '../../features/catalogue/filters/schema.ts'
import { assembleProducts } from '../../features/catalogue/imports/mapping/assemble.ts'
import { noLosses } from '../../features/catalogue/imports/mapping/losses.ts'
import type { Mapping } from '../../features/catalogue/imports/mapping/mapping.ts'
import { planImport } from '../../features/catalogue/imports/mapping/plan.ts'
import { readSample } from '../../features/catalogue/imports/mapping/sample.ts'
import type { MappingBody } from '../../features/catalogue/imports/schema.ts'
import type { StoreSettings } from '../../features/stores/settings/schema.ts'
import type { ServiceClient } from '../client/service-client.ts'
import type { ImportUpload } from './upload.ts'

/** The products of a store that a file names. */
export interface NamedProducts {
  ids: ReadonlySet<string>
  /** Rows without an id: each may be a product that seems to be missing. */
  unnamed: number
}

export interface Removal {
  client: ServiceClient
  named: NamedProducts
  /** Products that were written after this moment stay, as ISO 8601. */
  before: string
  /** Whether to delete the missing products however many they are. */
  isForced: boolean
}

/** Reads which products a file names, as the service reads it. @throws UnreadableFile */
export async function readNamed(client: ServiceClient, upload: ImportUpload): Promise<NamedProducts> {
  const settings = (await (await client.send('GET', '/v1/store/settings')).json()) as StoreSettings
  const mapping = upload.query.get('mapping')
  const own = { ...settings.feed_mapping, ...(mapping === null ? {} : (JSON.parse(mapping) as MappingBody)) }
  const source = await upload.open()
  try {
    const { columns, format, records } = source.table
    const plan =
      format === 'ndjson' ? planImport([]) : planImport(columns, toMapping(own), await readSample(source))
    const ids = new Set<string>()
    let unnamed = 0
    for await (const item of assembleProducts(records, plan, {
      losses: noLosses(),
      now: systemClock.now(),
    })) {
      // A product that the shop hides counts as missing.
      if ('hidden' in item) continue
      const id = 'product' in item ? (item.product as { product_id?: unknown }).product_id : undefined
      if (typeof id === 'string') ids.add(id)
      else unnamed++
    }
    return { ids, unnamed }
  } finally {
    source.close()
  }
}

const toMapping = (body: MappingBody): Mapping =>
  Object.fromEntries(
    Object.entries(body).map(([field, columns]) => [
      field,
      typeof columns === 'string' ? [columns] : columns,
    ]),
  )

/** Values of one condition (contract 3.10). */
const IDS_AT_ONCE = 1_000

/**
 * Deletes the products of a store that a file no longer names. Demo products stay.
 *
 * @returns how many were deleted.
 * @throws OperatorError if more than a fifth of the store would go, or if rows of the file name no product, unless forced.
 *   Nothing is deleted then.
 */
export async function deleteMissing({ client, named, before, isForced }: Removal): Promise<number> {
  const { kept, gone } = await compare(client, named.ids)
  const missing: string[][] = []
  let count = 0
  for (let at = 0; at < gone.length; at += IDS_AT_ONCE) {
    const ids = gone.slice(at, at + IDS_AT_ONCE)
    const { matched } = await remove(client, ids, before, true)
    count += matched
    if (matched > 0) missing.push(ids)
  }
  if (count === 0) return 0
  if (!isForced) demandFew(count, kept + count, named.unnamed)
  let deleted = 0
  for (const ids of missing) deleted += (await remove(client, ids, before, false)).deleted
  return deleted
}

/** The brake of feeds: a file that was cut off must not empty a shop. */
function demandFew(missing: number, all: number, unnamed: number): void {
  const cure = 'If they are to be deleted, run the command again with --force-delete.'
  if (missing > LIMITS.feedMissingShareMax * all) {
    throw new OperatorError(
      `${missing} of the ${counted(all, 'product')} of the store are gone from the file, more than 20 %; nothing was deleted. ${cure}`,
    )
  }
  if (unnamed > 0) {
    throw new OperatorError(
      `${counted(unnamed, 'row')} of the file ${unnamed === 1 ? 'names' : 'name'} no product, and ${counted(missing, 'product')} of the store ${missing === 1 ? 'is' : 'are'} gone from it; nothing was deleted. Correct the rows. ${cure}`,
    )
  }
}

/** Compares the store's products with those of the file. */
async function compare(
  client: ServiceClient,
  ids: ReadonlySet<string>,
): Promise<{ kept: number; gone: string[] }> {
  const gone: string[] = []
  let kept = 0
  for await (const line of readLines(await client.send('GET', '/v1/products/export'))) {
    const { product_id } = JSON.parse(line) as { product_id?: string }
    if (product_id === undefined) continue
    if (ids.has(product_id)) kept++
    else gone.push(product_id)
  }
  return { kept, gone }
}

async function* readLines({ body }: Response): AsyncGenerator<string> {
  const decoder = new TextDecoder()
  let rest = ''
  for await (const piece of body ?? new ReadableStream<Uint8Array>()) {
    const lines = (rest + decoder.decode(piece, { stream: true })).split('\n')
    rest = lines.pop() ?? ''
    yield* lines
  }
  if (rest !== '') yield rest
}

async function remove(
  client: ServiceClient,
  ids: readonly string[],
  before: string,
  isDryRun: boolean,
): Promise<DeletedProducts> {
  const filters = [
    { field: 'product_id', operator: 'in', value: ids },
    { field: 'updated_at', operator: 'lte', value: before },
    { field: 'is_demo', operator: 'eq', value: false },
  ]
  const answer = await client.send('DELETE', '/v1/products', {
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ filters, ...(isDryRun && { dry_run: true }) }),
  })
  return (await answer.json()) as DeletedProducts
}
