import { isoTime } from '../../../core/clock.ts'
import { notFound } from '../../../core/errors.ts'
import { LIMITS } from '../../../core/limits.ts'
import { createShares, type Holding } from '../../../core/shares.ts'
import type { WorkFiles } from '../../../platform/work-files.ts'
import type { Base } from '../../module.ts'
import type { ImportFile } from './source.ts'

export interface SizedFile extends ImportFile {
  sizeBytes: number
  /** As its sender called it; null for a body without a name. */
  fileName: string | null
}

/** A file that came with a request. */
export interface ReceivedFile extends SizedFile {
  /** Lets the file outlive its request. @returns its name among the work files. */
  keep(): string
}

/** A file that a dry run has left for the import, as its answer tells it. */
export interface KeptUpload {
  upload_id: string
  upload_expires_at: string
}

export interface UploadDeps extends Pick<Base, 'clock' | 'ids' | 'log'> {
  files: Pick<WorkFiles, 'pieces' | 'remove'>
  /** Free share of the disk, 0 to 1. */
  readFreeDiskShare(): Promise<number>
}

interface Upload {
  id: string
  storeId: string
  name: string
  file: SizedFile
  place: Holding
  /** By the clock that is never set. */
  endsAt: number
  /** Readings in progress, during which the file stays. */
  readings: number
  isOver: boolean
}

/** With a smaller share of free disk no file is kept; the service stops being ready at 5 %. */
const FREE_DISK_MIN = 0.1

export type Uploads = ReturnType<typeof createUploads>

/**
 * Keeps the files of dry runs for the imports that follow: in memory which, on the disk their bytes. A store's newest ones
 * stay. A start of the program finds none, because it empties the folder. Nobody can rely on a file being kept: where there
 * is no room, a client sends it again.
 */
export function createUploads({ clock, ids, log, files, readFreeDiskShare }: UploadDeps) {
  const uploads = new Map<string, Upload>()
  const places = createShares(LIMITS.keptUploadBytes)

  const ofStore = (storeId: string): Upload[] =>
    [...uploads.values()].filter((upload) => upload.storeId === storeId)

  function removeUnread({ name, place, readings, isOver }: Upload): void {
    if (!isOver || readings > 0) return
    place.release()
    void files.remove(name).catch((err) => log.error({ err }, 'a kept upload cannot be deleted'))
  }

  function end(upload: Upload): void {
    uploads.delete(upload.id)
    upload.isOver = true
    removeUnread(upload)
  }

  function require(storeId: string, id: string): Upload {
    const upload = uploads.get(id)
    if (upload && upload.endsAt <= clock.monotonic()) end(upload)
    if (!upload || upload.storeId !== storeId || upload.isOver) throw notFound('upload')
    return upload
  }

  function extend(upload: Upload): KeptUpload {
    upload.endsAt = clock.monotonic() + LIMITS.keptUploadMs
    return { upload_id: upload.id, upload_expires_at: isoTime(clock.now() + LIMITS.keptUploadMs) }
  }

  /** Takes room on the disk for one more file. A store may take of its first bytes what others have beyond theirs. */
  function takePlace(storeId: string, sizeBytes: number, giveWay: () => void): Holding | undefined {
    const size = Math.max(sizeBytes, LIMITS.keptUploadBytesMin)
    const yields = { isSlow: () => false, isUnderWay: () => true, giveWay }
    return places.tryTake(storeId, size, { yields })
  }

  const isDiskTight = async (): Promise<boolean> => (await readFreeDiskShare().catch(() => 0)) < FREE_DISK_MIN

  return {
    /**
     * Keeps a file for half an hour. The oldest of a store goes for it.
     *
     * @returns undefined if there is no room; the file then ends with its request.
     */
    async keep(
      storeId: string,
      { keep, open: _, ...received }: ReceivedFile,
    ): Promise<KeptUpload | undefined> {
      if (await isDiskTight()) return undefined
      const oldest = ofStore(storeId).toSorted((a, b) => a.endsAt - b.endsAt)
      for (const upload of oldest.slice(0, Math.max(0, oldest.length + 1 - LIMITS.keptUploadsMax)))
        end(upload)
      const place = takePlace(storeId, received.sizeBytes, () => end(upload))
      if (!place) return undefined
      const file = keep()
      const upload: Upload = {
        ...{ id: ids.uuid(), storeId, name: file, place, endsAt: 0, readings: 0, isOver: false },
        file: { ...received, open: () => files.pieces(file) },
      }
      uploads.set(upload.id, upload)
      return extend(upload)
    },

    /**
     * Reads a kept file. It stays until that is done, whatever ends the upload meanwhile.
     *
     * @param work gets the file, and a function that keeps it for another half hour.
     * @throws ApiError `not_found` for an upload that has ended, and for one of another store; whatever `work` throws.
     */
    async use<Result>(
      storeId: string,
      id: string,
      work: (file: Upload['file'], keepOn: () => KeptUpload | undefined) => Promise<Result>,
    ): Promise<Result> {
      const upload = require(storeId, id)
      upload.readings++
      try {
        return await work(upload.file, () => (upload.isOver ? undefined : extend(upload)))
      } finally {
        upload.readings--
        removeUnread(upload)
      }
    },

    /** Bytes on the disk that count against the bound. */
    heldBytes: (): number => places.held(),

    /** Deletes what has ended, and everything while the disk is nearly full. Call it every minute. */
    async tidy(): Promise<void> {
      const now = (await isDiskTight()) ? Infinity : clock.monotonic()
      for (const upload of [...uploads.values()]) if (upload.endsAt <= now) end(upload)
    },

    forgetStore(storeId: string): void {
      for (const upload of ofStore(storeId)) end(upload)
    },
  }
}
