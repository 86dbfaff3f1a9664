import { basename } from 'node:path'
import { LIMITS } from '../core/limits.ts'
import { OperatorError, wrongUsage } from '../core/operator-error.ts'
import { sizeInWords } from '../core/text.ts'
import type { SearchResponse } from '../features/discovery/search/schema.ts'
import type { Call, Command } from './cli/command.ts'
import { formatPrice } from './cli/price.ts'
import { createStopSignal } from './cli/stop-signal.ts'
import { formatTable } from './cli/table.ts'
import type { ServiceClient } from './client/service-client.ts'
import { withService } from './client/service-session.ts'

const LIMIT_DEFAULT = 10
const LIMIT_MAX = LIMITS.searchLimitMax

/** `lookalike search`. */
export const search: Command = {
  name: 'search',
  summary: 'search a store by words, by a picture file, or by both',
  positionals: ['WORDS|FILE', '[WORDS]'],
  options: [
    { flag: 'store', value: 'SLUG', meaning: 'the store; may be left out if there is only one' },
    { flag: 'limit', value: 'N', meaning: `the most results; default: ${LIMIT_DEFAULT}` },
    { flag: 'json', meaning: 'print the answer of the API as JSON' },
  ],
  settings: ['DATA_DIR', 'HOST', 'PORT', 'BASE_URL', 'JWT_SECRET'],
  essentials: ['DATA_DIR'],
  example: 'lookalike search photo.jpg "in red" --store my-shop',
  findProblems: ({ limit }) =>
    limit === undefined || isLimit(limit) ? [] : [`--limit must be a whole number from 1 to ${LIMIT_MAX}`],
  async run(call) {
    const wanted = await readWanted(call)
    return withService(call, createStopSignal(), async ({ client }) => {
      const answer = await ask(client, wanted)
      console.log(call.options['json'] === undefined ? format(answer) : JSON.stringify(answer))
      return 0
    })
  },
}

const isLimit = (text: string): boolean =>
  /^\d{1,3}$/.test(text) && Number(text) >= 1 && Number(text) <= LIMIT_MAX

interface Wanted {
  words: string | undefined
  picture: { name: string; bytes: Uint8Array<ArrayBuffer> } | undefined
  limit: number
}

/** @throws OperatorError for a file that cannot be sent, and for words in the place of a file. */
async function readWanted({ positionals, options }: Call): Promise<Wanted> {
  const [first = '', second] = positionals
  const limit = Number(options['limit'] ?? LIMIT_DEFAULT)
  const isFile = await Bun.file(first).exists()
  if (isFile) return { words: second, picture: await readPicture(first), limit }
  if (second !== undefined || looksLikeFile(first)) throw wrongUsage(`There is no file ${first}`)
  return { words: first, picture: undefined, limit }
}

/** Words seldom end so; a wrong path often does. */
const looksLikeFile = (text: string): boolean => /\.(jpe?g|png|webp|avif|gif|bmp|tiff?|heic)$/i.test(text)

async function readPicture(path: string): Promise<NonNullable<Wanted['picture']>> {
  const file = Bun.file(path)
  if (file.size > LIMITS.pictureBytesMax)
    throw new OperatorError(`${path} is larger than ${sizeInWords(LIMITS.pictureBytesMax)}`)
  try {
    return { name: basename(path), bytes: await file.bytes() }
  } catch (error) {
    throw new OperatorError(`Cannot read ${path}: ${(error as Error).message}`)
  }
}

/** Searches without counting: the operator is no shopper. */
async function ask(client: ServiceClient, { words, picture, limit }: Wanted): Promise<SearchResponse> {
  const path = picture ? (words === undefined ? '' : '/hybrid') : '/text'
  const parts = { limit, analytics: false, ...(words !== undefined && { query: words }) }
  const body =
    picture && words === undefined
      ? toForm(parts, picture)
      : JSON.stringify({ ...parts, ...(picture && { image: Buffer.from(picture.bytes).toString('base64') }) })
  const headers = typeof body === 'string' ? { 'content-type': 'application/json' } : undefined
  const answer = await client.send('POST', `/v1/search${path}`, { body, ...(headers && { headers }) })
  return (await answer.json()) as SearchResponse
}

function toForm(fields: Record<string, unknown>, picture: NonNullable<Wanted['picture']>): FormData {
  const form = new FormData()
  for (const [name, value] of Object.entries(fields)) form.set(name, String(value))
  form.set('image', new Blob([picture.bytes]), picture.name)
  return form
}

function format({ results, query_time_ms, warnings = [] }: SearchResponse): string {
  const notes = warnings.map((warning) => `Note: ${warning}\n`).join('')
  if (results.length === 0) return `${notes}Nothing was found.`
  const table = formatTable([
    ['SCORE', 'PRODUCT_ID', 'NAME', 'CATEGORY', 'PRICE'],
    ...results.map(({ product_id, similarity_score, metadata }) => [
      similarity_score.toFixed(2),
      product_id,
      say(metadata['name']),
      say(metadata['category']),
      formatPrice(metadata),
    ]),
  ])
  return `${notes}${table}\n${query_time_ms} ms`
}

/** The longest name or category that is shown whole. */
const CELL_CHARS_MAX = 60

function say(value: unknown): string {
  const text = value === undefined || value === null ? '' : String(value)
  return text.length > CELL_CHARS_MAX ? `${text.slice(0, CELL_CHARS_MAX - 1)}…` : text
}
