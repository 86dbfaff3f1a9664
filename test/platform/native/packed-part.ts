import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { EmbeddedPart } from '../../../src/platform/native/embedded.ts'
import { hashBytes } from '../../../src/platform/native/file-hash.ts'
import { packBytes } from '../../../src/platform/native/packed.ts'

/** A part as the build makes it, by name and contents; the packed form of the first file is `source-0` in `dir`. */
export async function packedPart(
  dir: string,
  contents: Record<string, string | Uint8Array>,
): Promise<EmbeddedPart> {
  const files = await Promise.all(
    Object.entries(contents).map(async ([name, content], index) => {
      const bytes = Buffer.from(content)
      const source = join(dir, `source-${index}`)
      const packed = await packBytes(bytes)
      writeFileSync(source, packed)
      const [hash, sourceHash] = [hashBytes(bytes), hashBytes(packed)]
      return { name, source, sourceHash, sizeBytes: bytes.length, hash }
    }),
  )
  return { hash: '0123456789abcdef', files }
}
