/** Reads a file from its start, as often as it is called. */
export type OpenBytes = () => AsyncIterable<Uint8Array>

/** Reads the first bytes of a file, at most `count`. */
export async function readHead(open: OpenBytes, count: number): Promise<Uint8Array> {
  const head: number[] = []
  for await (const chunk of open()) {
    head.push(...chunk.subarray(0, count - head.length))
    if (head.length === count) break
  }
  return Uint8Array.from(head)
}
