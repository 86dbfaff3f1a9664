import { open } from 'node:fs/promises'
import { crc32, deflateRawSync } from 'node:zlib'

/** Writes a zip archive on the disk, file by file, without compression: pictures are compressed already. */
export interface ZipWriter {
  /** @param path with `/`. */
  add(path: string, content: AsyncIterable<Uint8Array>): Promise<void>
  /** Adds a file of `bytes` zeros, which take hardly any space on the disk. */
  addZeros(path: string, bytes: number): Promise<void>
  /** Writes the directory and closes the file. @returns the size of the archive. */
  end(): Promise<number>
  /** Closes the file as it is. */
  abort(): Promise<void>
}

interface Written {
  name: Buffer
  method: number
  crc: number
  packed: number
  bytes: number
  offset: number
}

/** Sizes and checksum follow the content (bit 3); names are UTF-8 (bit 11). */
const FLAGS = 0x0808
const STORED = 0
const DEFLATED = 8
/** 1980-01-01, so that equal contents give equal archives. */
const DATE = 0x0021
/** A larger archive needs the Zip64 format, which nothing here writes. */
const BYTES_MAX = 0xffff_ffff
const ENTRIES_MAX = 0xffff

/** Creates an archive of less than 4 GiB with up to 65,535 files. */
export async function createZip(path: string): Promise<ZipWriter> {
  const file = await open(path, 'w', 0o600)
  const entries: Written[] = []
  let offset = 0

  async function write(bytes: Uint8Array): Promise<void> {
    offset += bytes.length
    if (offset > BYTES_MAX) throw new Error('the zip file grows beyond 4 GiB')
    for (let at = 0; at < bytes.length; ) at += (await file.write(bytes, at)).bytesWritten
  }

  async function begin(path: string, method: number): Promise<Written> {
    if (entries.length === ENTRIES_MAX) throw new Error('the zip file has too many entries')
    const entry = { name: Buffer.from(path), method, crc: 0, packed: 0, bytes: 0, offset }
    entries.push(entry)
    const header = Buffer.alloc(30)
    header.writeUInt32LE(0x04034b50, 0)
    header.writeUInt16LE(20, 4)
    header.writeUInt16LE(FLAGS, 6)
    header.writeUInt16LE(method, 8)
    header.writeUInt16LE(DATE, 12)
    header.writeUInt16LE(entry.name.length, 26)
    await write(Buffer.concat([header, entry.name]))
    return entry
  }

  async function finish({ crc, packed, bytes }: Written): Promise<void> {
    const descriptor = Buffer.alloc(16)
    descriptor.writeUInt32LE(0x08074b50, 0)
    descriptor.writeUInt32LE(crc, 4)
    descriptor.writeUInt32LE(packed, 8)
    descriptor.writeUInt32LE(bytes, 12)
    await write(descriptor)
  }

  return {
    async add(path, content) {
      const entry = await begin(path, STORED)
      for await (const piece of content) {
        entry.crc = crc32(piece, entry.crc)
        entry.bytes += piece.length
        await write(piece)
      }
      entry.packed = entry.bytes
      await finish(entry)
    },

    async addZeros(path, bytes) {
      const entry = await begin(path, DEFLATED)
      const zeros = Buffer.alloc(bytes)
      const packed = deflateRawSync(zeros)
      Object.assign(entry, { crc: crc32(zeros), bytes, packed: packed.length })
      await write(packed)
      await finish(entry)
    },

    async end() {
      const start = offset
      for (const { name, method, crc, packed, bytes, offset: at } of entries) {
        const header = Buffer.alloc(46)
        header.writeUInt32LE(0x02014b50, 0)
        header.writeUInt16LE(20, 4)
        header.writeUInt16LE(20, 6)
        header.writeUInt16LE(FLAGS, 8)
        header.writeUInt16LE(method, 10)
        header.writeUInt16LE(DATE, 14)
        header.writeUInt32LE(crc, 16)
        header.writeUInt32LE(packed, 20)
        header.writeUInt32LE(bytes, 24)
        header.writeUInt16LE(name.length, 28)
        header.writeUInt32LE(at, 42)
        await write(Buffer.concat([header, name]))
      }
      const end = Buffer.alloc(22)
      end.writeUInt32LE(0x06054b50, 0)
      end.writeUInt16LE(entries.length, 8)
      end.writeUInt16LE(entries.length, 10)
      end.writeUInt32LE(offset - start, 12)
      end.writeUInt32LE(start, 16)
      await write(end)
      await file.close()
      return offset
    },

    abort: () => file.close().catch(() => {}),
  }
}
