/**
 * The form of a file inside the executable: for each block of 1 MiB its packed length (4 bytes, little-endian) and a zstd
 * frame. Unpacking block by block takes 2 MB of memory whatever the file's size; in one piece libraries would be 2 % smaller.
 */
import { BLOCK_BYTES } from './file-hash.ts'

const LENGTH_BYTES = 4

/** Level 19 takes half a minute of CPU for all files, once for each of them; 22 saves nothing more. */
const LEVEL = 19

/** Packs a file's contents. @public Called by the build. */
export async function packBytes(bytes: Uint8Array): Promise<Uint8Array> {
  const starts = Array.from({ length: Math.ceil(bytes.length / BLOCK_BYTES) }, (_, n) => n * BLOCK_BYTES)
  const frames = await Promise.all(
    starts.map((at) => Bun.zstdCompress(bytes.subarray(at, at + BLOCK_BYTES), { level: LEVEL })),
  )
  return Buffer.concat(
    frames.flatMap((frame) => {
      const length = Buffer.alloc(LENGTH_BYTES)
      length.writeUInt32LE(frame.length)
      return [length, frame]
    }),
  )
}

/** Unpacks what {@link packBytes} packed, one block at a time. Its bytes must be sound: check their hash first. */
export function* unpackBlocks(packed: Uint8Array): Generator<Uint8Array> {
  const lengths = new DataView(packed.buffer, packed.byteOffset, packed.byteLength)
  for (let at = 0; at < packed.length; ) {
    const start = at + LENGTH_BYTES
    at = start + lengths.getUint32(at, true)
    yield Bun.zstdDecompressSync(packed.subarray(start, at))
  }
}
