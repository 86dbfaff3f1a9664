import { closeSync, existsSync, openSync, readSync, rmSync } from 'node:fs'
import { type FileHandle, mkdir, open, readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { fileFailure } from '../core/storage.ts'
import { flushFolder } from './sync-folder.ts'

/** Files that hold work until it is done. */
export interface WorkFiles {
  /**
   * Creates an empty file.
   *
   * @throws ApiError `storage_full`, `read_only` or `storage_failed`, like everything here.
   */
  create(name: string): Promise<WorkFile>
  /** Reads a part of a file. */
  read(name: string, offset: number, bytes: number): Promise<Uint8Array>
  /** The same at once: for a part that belongs to a moment of the database. @returns undefined if it is not there. */
  readNow(name: string, offset: number, bytes: number): Uint8Array | undefined
  /** Reads a file from its beginning. It is open only meanwhile. */
  pieces(name: string): AsyncIterable<Uint8Array>
  /** Does nothing when there is no such file. */
  remove(name: string): Promise<void>
  list(): Promise<string[]>
}

/** A file that grows. */
export interface WorkFile {
  /** For libraries that read a file by its name. */
  readonly path: string
  /** Appends the bytes. @returns the offset at which they begin. */
  append(bytes: Uint8Array): Promise<number>
  /** Waits until the file and its name are on the disk. */
  sync(): Promise<void>
  /** Reads the file from its beginning. */
  pieces(): AsyncIterable<Uint8Array>
  close(): Promise<void>
}

/** Bytes that are read at a time: what one step of the event loop can well look through. */
const PIECE_BYTES = 64 * 1024

/**
 * Opens a folder of work files. One process at a time may use it.
 *
 * @param isKept whether the files outlive the program; otherwise what a crash left is deleted now.
 */
export function createWorkFiles(dir: string, { isKept }: { isKept: boolean }): WorkFiles {
  if (!isKept) rmSync(dir, { recursive: true, force: true })

  async function create(name: string): Promise<WorkFile> {
    await mkdir(dir, { recursive: true, mode: 0o700 })
    const path = join(dir, name)
    const file = await open(path, 'wx+', 0o600)
    let size = 0
    return {
      path,
      append: (bytes) =>
        withStorageErrors(async () => {
          const offset = size
          await writeAll(file, bytes, offset)
          size += bytes.length
          return offset
        }),
      sync: () =>
        withStorageErrors(async () => {
          await file.sync()
          await flushFolder(dir)
        }),
      pieces: () => readPieces(file),
      close: () => file.close(),
    }
  }

  async function read(name: string, offset: number, bytes: number): Promise<Uint8Array> {
    const file = await open(join(dir, name), 'r')
    try {
      const part = new Uint8Array(bytes)
      for (let length = 0; length < bytes; ) {
        const { bytesRead } = await file.read(part, length, bytes - length, offset + length)
        if (bytesRead === 0) throw new Error(`${name} is shorter than it should be`)
        length += bytesRead
      }
      return part
    } finally {
      await file.close()
    }
  }

  function readNow(name: string, offset: number, bytes: number): Uint8Array | undefined {
    const path = join(dir, name)
    if (!existsSync(path)) return undefined
    const file = openSync(path, 'r')
    try {
      const part = new Uint8Array(bytes)
      for (let length = 0; length < bytes; ) {
        const bytesRead = readSync(file, part, length, bytes - length, offset + length)
        if (bytesRead === 0) return undefined
        length += bytesRead
      }
      return part
    } finally {
      closeSync(file)
    }
  }

  async function list(): Promise<string[]> {
    try {
      return await readdir(dir)
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return []
      throw error
    }
  }

  return {
    create: (name) => withStorageErrors(() => create(name)),
    read: (name, offset, bytes) => withStorageErrors(() => read(name, offset, bytes)),
    readNow,
    async *pieces(name) {
      const file = await withStorageErrors(() => open(join(dir, name), 'r'))
      try {
        yield* readPieces(file)
      } finally {
        await file.close()
      }
    },
    remove: (name) => withStorageErrors(() => rm(join(dir, name), { force: true })),
    list: () => withStorageErrors(list),
  }
}

async function writeAll(file: FileHandle, bytes: Uint8Array, position: number): Promise<void> {
  for (let at = 0; at < bytes.length; ) {
    const { bytesWritten } = await file.write(bytes, at, bytes.length - at, position + at)
    at += bytesWritten
  }
}

async function* readPieces(file: FileHandle): AsyncGenerator<Uint8Array> {
  for (let position = 0; ; ) {
    const buffer = new Uint8Array(PIECE_BYTES)
    const { bytesRead } = await file.read(buffer, 0, PIECE_BYTES, position)
    if (bytesRead === 0) return
    position += bytesRead
    yield buffer.subarray(0, bytesRead)
  }
}

const withStorageErrors = <Value>(work: () => Promise<Value>): Promise<Value> =>
  work().catch((error) => {
    throw fileFailure(error)
  })
