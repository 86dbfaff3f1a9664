import { UnreadableFile } from '../../../../core/unreadable-file.ts'
import { RECORD_BYTES_MAX } from './record.ts'

/**
 * Splits a text with `\n` at the end of its lines, and leaves that out.
 *
 * @param charsMax the longest line. @throws UnreadableFile for a longer one.
 */
export async function* splitLines(
  text: AsyncIterable<string>,
  charsMax = RECORD_BYTES_MAX,
): AsyncGenerator<string> {
  let pieces: string[] = []
  let held = 0
  let line = 1
  for await (const chunk of text) {
    let start = 0
    for (let end = chunk.indexOf('\n'); end >= 0; end = chunk.indexOf('\n', start)) {
      yield pieces.join('') + chunk.slice(start, end)
      pieces = []
      held = 0
      line++
      start = end + 1
    }
    pieces.push(chunk.slice(start))
    held += chunk.length - start
    if (held > charsMax) throw new UnreadableFile(`Line ${line} is longer than ${charsMax} characters`, line)
  }
  const rest = pieces.join('')
  if (rest !== '') yield rest
}
