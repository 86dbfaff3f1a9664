/**
 * Reads the beginning of a response body and leaves the rest unread, for a log.
 *
 * @returns at most `bytesMax` bytes.
 */
export async function readBeginning(
  pieces: AsyncIterable<Uint8Array>,
  bytesMax: number,
): Promise<Uint8Array> {
  const beginning = new Uint8Array(bytesMax)
  let length = 0
  for await (const piece of pieces) {
    const part = piece.subarray(0, bytesMax - length)
    beginning.set(part, length)
    length += part.length
    if (length === bytesMax) break
  }
  return beginning.subarray(0, length)
}
