/**
 * The form of a file inside the executable: for each 8 MiB its packed length (4 bytes, little-endian) and a zstd frame.
 * Unpacking frame by frame takes 16 MB of memory whatever the file's size. Frames of 1 MiB made libraries 3 % larger, one
 * frame for all would make them 1 % smaller.
 */
import { BLOCK_BYTES } from './file-hash.ts'

const FRAME_BYTES = 8 * BLOCK_BYTES
const LENGTH_BYTES = 4

/** It takes a minute of CPU for all files, once for each of them; 22 saves nothing more. */
const LEVEL = 19

/** Packs a file's contents. @public Called by the build. */
export async function packBytes(bytes: Uint8Array): Promise<Uint8Array> {
  const starts = Array.from({ length: Math.ceil(bytes.length / FRAME_BYTES) }, (_, n) => n * FRAME_BYTES)
  const frames = await Promise.all(
    starts.map((at) => Bun.zstdCompress(bytes.subarray(at, at + FRAME_BYTES), { level: LEVEL })),
  )
  return Buffer.concat(
    frames.flatMap((frame) => {
      const length = Buffer.alloc(LENGTH_BYTES)
      length.writeUInt32LE(frame.length)
      return [length, frame]
    }),
  )
}

/**
 * Unpacks what {@link packBytes} packed, in blocks as a file hash takes them. Its bytes must be sound: check their hash
 * first.
 */
export function* unpackBlocks(packed: Uint8Array): Generator<Uint8Array> {
  const lengths = new DataView(packed.buffer, packed.byteOffset, packed.byteLength)
  for (let at = 0; at < packed.length; ) {
    const start = at + LENGTH_BYTES
    at = start + lengths.getUint32(at, true)
    const frame = Bun.zstdDecompressSync(packed.subarray(start, at))
    for (let from = 0; from < frame.length; from += BLOCK_BYTES)
      yield frame.subarray(from, from + BLOCK_BYTES)
  }
}
