import { Readable } from 'node:stream'
import { createGunzip } from 'node:zlib'
import type { OpenBytes } from './open-bytes.ts'
import { decimalSize } from './text.ts'
import { UnreadableFile } from './unreadable-file.ts'

export const isGzip = (head: Uint8Array): boolean => head[0] === 0x1f && head[1] === 0x8b

/**
 * Unpacks a gzip file while it is read, so a small file that grows without end costs no memory.
 *
 * @param bytesMax the most unpacked bytes. @returns bytes that throw UnreadableFile beyond it and for a damaged file.
 */
export function unpackGzip(open: OpenBytes, bytesMax: number): OpenBytes {
  return async function* () {
    const packed = Readable.from(open(), { objectMode: false })
    const unpacked = createGunzip()
    packed.on('error', (error) => unpacked.destroy(error))
    packed.pipe(unpacked)
    let total = 0
    try {
      for await (const chunk of unpacked as AsyncIterable<Uint8Array>) {
        total += chunk.length
        if (total > bytesMax)
          throw new UnreadableFile(`The file unpacks to more than ${decimalSize(bytesMax)}`)
        yield chunk
      }
    } catch (error) {
      if (!(error instanceof Error && 'code' in error && String(error.code).startsWith('Z_'))) throw error
      throw new UnreadableFile('The gzip file is damaged', undefined, error)
    } finally {
      packed.destroy()
      unpacked.destroy()
    }
  }
}
