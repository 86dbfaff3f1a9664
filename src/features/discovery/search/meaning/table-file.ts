/**
 * The form of the dictionary in the executable, which `scripts/generate/dictionary.ts` writes: the length (4 bytes, little-endian)
 * and the xxHash3 (8 bytes) of what follows, which is packed by zstd. Unpacked, it is a row of parts: the meanings, the English words,
 * and three of each language. A part is the length of its words, the count of their meanings (4 bytes each), the words, and the
 * meanings (2 bytes each).
 */
import type { Column, DictionaryTable } from './dictionary.ts'
import { LANGUAGES, type Language } from './languages.ts'
import { createWordTable, type Words } from './word-table.ts'

const HEAD_BYTES = 12

/** One part of the file: words, each with a line feed behind it, and for each of them the number of a meaning or nothing. */
export interface Part {
  words: Uint8Array
  meanings: Uint16Array
}

/** Writes the file. @public Called by `scripts/generate/dictionary.ts`. */
export function packTable(parts: readonly Part[]): Uint8Array {
  const pieces = parts.flatMap(({ words, meanings }) => {
    const lengths = new Uint8Array(Uint32Array.of(words.length, meanings.length).buffer)
    const numbers = new Uint8Array(meanings.buffer, meanings.byteOffset, meanings.byteLength)
    return [lengths, words, numbers]
  })
  const packed = Bun.zstdCompressSync(Buffer.concat(pieces), { level: 19 })
  const head = Buffer.alloc(HEAD_BYTES)
  head.writeUInt32LE(packed.length)
  head.writeBigUInt64LE(Bun.hash.xxHash3(packed), 4)
  return Buffer.concat([head, packed])
}

/** Reads the file; or says why it is not whole. */
export function readTable(file: Uint8Array): DictionaryTable | string {
  if (file.length < HEAD_BYTES) return `it has ${file.length} bytes`
  const head = new DataView(file.buffer, file.byteOffset, HEAD_BYTES)
  const packed = file.subarray(HEAD_BYTES)
  const length = head.getUint32(0, true)
  if (packed.length !== length) return `it has ${packed.length} bytes instead of ${length}`
  if (Bun.hash.xxHash3(packed) !== head.getBigUint64(4, true)) return 'its checksum is another one'
  return readParts(Bun.zstdDecompressSync(packed))
}

function readParts(unpacked: Uint8Array): DictionaryTable {
  const view = new DataView(unpacked.buffer, unpacked.byteOffset, unpacked.byteLength)
  let at = 0
  function next(): Part {
    const wordBytes = view.getUint32(at, true)
    const meanings = new Uint16Array(view.getUint32(at + 4, true))
    const start = at + 8
    at = start + wordBytes
    const numbers = new Uint8Array(meanings.buffer)
    numbers.set(unpacked.subarray(at, at + numbers.length))
    at += numbers.length
    return { words: unpacked.subarray(start, start + wordBytes), meanings }
  }
  const texts = new TextDecoder().decode(next().words).split('\n')
  const nextWords = (): Words => {
    const { words, meanings } = next()
    return createWordTable(words, meanings, texts)
  }
  const english = nextWords()
  const columns = LANGUAGES.map((language): [Language, Column] => [
    language,
    { stems: nextWords(), others: nextWords(), beginnings: nextWords() },
  ])
  return { english, columns: new Map(columns) }
}
