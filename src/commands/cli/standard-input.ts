/**
 * Reads standard input to its end, or until it has more than so many bytes.
 *
 * @param isLine stops after the first line, too.
 */
export async function readStandardInput(bytesMax: number, { isLine }: { isLine: boolean }): Promise<Buffer> {
  const chunks: Uint8Array[] = []
  let size = 0
  for await (const chunk of Bun.stdin.stream()) {
    chunks.push(chunk)
    size += chunk.length
    if (size > bytesMax || (isLine && chunk.includes(0x0a))) break
  }
  return Buffer.concat(chunks)
}
