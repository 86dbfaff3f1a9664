import type { ByteBudget } from '../../../core/byte-budget.ts'
import { ApiError } from '../../../core/errors.ts'
import { createKeyedLock } from '../../../core/keyed-lock.ts'
import type { WriteTogether } from '../../../platform/db/write-groups.ts'
import type { PictureFiles } from '../../../platform/pictures/kept.ts'
import type { Base } from '../../module.ts'
import { KEPT_PREFIX } from './kept-address.ts'
import type { KeptPicture, KeptPictureQueries } from './kept-picture-queries.ts'
import type { StorageChange } from './storage-limit.ts'
import type { StorageQueries } from './storage-queries.ts'
import { createSweeper } from './sweeper.ts'

export interface KeptPicturesDeps
  extends Pick<Base, 'clock' | 'ids' | 'baseUrl' | 'atomically' | 'withoutFsync'> {
  queries: KeptPictureQueries & StorageQueries
  files: PictureFiles
  /** Bounds the kept pictures that are read at a time, together with the downloads. */
  budget: Pick<ByteBudget, 'take'>
  writeTogether: WriteTogether
}

/** A picture that arrived as bytes. */
export interface ArrivedPicture {
  bytes: Uint8Array
  contentHash: Buffer
  contentType: string
}

export type KeptPictures = ReturnType<typeof createKeptPictures>

/** Keeps the pictures that arrive as bytes: their rows, their files and their addresses. */
export function createKeptPictures(deps: KeptPicturesDeps) {
  const { queries, files, budget, writeTogether, baseUrl, clock, ids } = deps
  /** Keeps a file from being written and deleted at the same time. */
  const fileLocked = createKeyedLock()

  /** @returns its path. @throws ApiError `storage_limit_exceeded`. */
  async function keep(storeId: string, arrived: ArrivedPicture, change: StorageChange): Promise<string> {
    const { bytes, contentHash, contentType } = arrived
    const picture = { address: ids.secret(16), storeId, contentHash, contentType, bytes: bytes.byteLength }
    const address = await writeTogether({
      write() {
        change.add(arrived)
        return queries.add({ ...picture, now: clock.now() })
      },
      // The commit of the product that uses the picture comes later, and brings this one to the disk.
      isUnsynced: true,
    })
    const name = contentHash.toString('hex')
    await fileLocked(name, () => files.write(name, bytes))
    return KEPT_PREFIX + address
  }

  /** Reads a file, which counts against the budget of the store until `until` settles. */
  async function readFile(
    storeId: string,
    kept: Pick<KeptPicture, 'contentHash' | 'bytes'>,
    until: Promise<unknown>,
  ): Promise<Uint8Array> {
    const claim = budget.take(storeId, kept.bytes)
    const release = () => claim.release()
    until.then(release, release)
    const bytes = await files.read(kept.contentHash.toString('hex'))
    if (!bytes) throw noKeptPicture()
    return bytes
  }

  /** The picture at a path, if the store keeps it. */
  function findOwn(storeId: string, path: string): KeptPicture | undefined {
    const kept = queries.find(toAddress(path))
    return kept?.storeId === storeId ? kept : undefined
  }

  return {
    keep,
    findOwn,
    find: queries.find,

    /** An address in the form that is saved: the address of a kept picture without the base URL. */
    toStored: (url: string): string =>
      url.startsWith(baseUrl() + KEPT_PREFIX) ? url.slice(baseUrl().length) : url,

    /** The public form of a saved address. */
    toPublicUrl: (url: string): string => (isKeptPath(url) ? baseUrl() + url : url),

    /** Reads the picture at a path of the store; see `readFile`. */
    async read(storeId: string, path: string, until: Promise<unknown>): Promise<Uint8Array> {
      const kept = findOwn(storeId, path)
      if (!kept) throw noKeptPicture()
      return readFile(storeId, kept, until)
    },

    /** Keeps a picture from being swept before the product that uses it is saved. */
    async retain(path: string): Promise<void> {
      const isThere = await writeTogether({
        write: () => queries.retain(toAddress(path), clock.now()),
        isUnsynced: true,
      })
      if (!isThere) throw noKeptPicture()
    },

    /** Keeps another store's picture for this one, too. @returns its path. */
    async copy(storeId: string, kept: KeptPicture, change: StorageChange): Promise<string> {
      const done = Promise.withResolvers<void>()
      try {
        const bytes = await readFile(storeId, kept, done.promise)
        return await keep(storeId, { ...kept, bytes }, change)
      } finally {
        done.resolve()
      }
    },

    /** The file of a kept picture, for anyone who knows its address. */
    async open(address: string): Promise<{ file: Blob; contentType: string } | undefined> {
      const kept = queries.find(address)
      const file = kept && (await files.file(kept.contentHash.toString('hex')))
      return file && { file, contentType: kept.contentType }
    },

    /** Deletes the pictures that no product has used for a minute; see {@link createSweeper}. */
    sweep: createSweeper({ ...deps, fileLocked }),
  }
}

export const isKeptPath = (url: string): boolean => url.startsWith(KEPT_PREFIX)

/** The address within the path of a kept picture. */
export const toAddress = (path: string): string => path.slice(KEPT_PREFIX.length)

const noKeptPicture = () =>
  new ApiError('image_download_failed', 'No picture is kept at this address', {
    details: { reason: 'http_status', upstream_status: 404 },
  })
