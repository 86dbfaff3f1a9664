import { ApiError } from '../../../../core/errors.ts'
import { parseJson } from '../../../../http/json/text.ts'
import type { ImportRecord, OnRecord } from './record.ts'
import { splitLines } from './text-lines.ts'

/** The longest line: a product with eleven pictures as `data:` URIs would be longer, and belongs into a zip file. */
const LINE_CHARS_MAX = 15 * 1024 * 1024

/** Lines up to this length parse fast enough in one step, whatever their content. */
const SHORT_CHARS = 16 * 1024

/** Reads newline-delimited JSON: one product a line. Empty lines count as lines and are nothing else. */
export async function* readNdjson(
  text: AsyncIterable<string>,
  onRecord?: OnRecord,
): AsyncGenerator<ImportRecord> {
  let line = 0
  for await (const content of splitLines(text, LINE_CHARS_MAX)) {
    line++
    const rest = onRecord?.()
    if (rest) await rest
    if (content.trim() !== '') yield { line, ...(await parseLine(content)) }
  }
}

/** A long line is as expensive as a body, so it is read with the same limits and in several turns. */
async function parseLine(content: string): Promise<{ product: object } | { problem: string }> {
  try {
    const isShort = content.length <= SHORT_CHARS
    const product: unknown = isShort
      ? JSON.parse(content)
      : await parseJson(new TextEncoder().encode(content))
    if (product !== null && typeof product === 'object' && !Array.isArray(product)) return { product }
    return { problem: 'The line is not a JSON object' }
  } catch (error) {
    const isLimit = error instanceof ApiError && error.code !== 'invalid_json'
    return { problem: isLimit ? error.message : 'The line is not valid JSON' }
  }
}
