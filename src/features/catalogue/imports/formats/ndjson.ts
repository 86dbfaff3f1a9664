import { splitLines } from './lines.ts'
import type { ImportRecord } from './record.ts'

/** The longest line: a product with eleven pictures as `data:` URIs would be longer, and belongs into a zip file. */
const LINE_CHARS_MAX = 15 * 1024 * 1024

/** Reads newline-delimited JSON: one product a line. Empty lines count as lines and are nothing else. */
export async function* readNdjson(text: AsyncIterable<string>): AsyncGenerator<ImportRecord> {
  let line = 0
  for await (const content of splitLines(text, LINE_CHARS_MAX)) {
    line++
    if (content.trim() !== '') yield { line, ...parseLine(content) }
  }
}

function parseLine(content: string): { product: object } | { problem: string } {
  try {
    const product: unknown = JSON.parse(content)
    if (product !== null && typeof product === 'object' && !Array.isArray(product)) return { product }
    return { problem: 'The line is not a JSON object' }
  } catch {
    return { problem: 'The line is not valid JSON' }
  }
}
