import { OperatorError } from '../../core/operator-error.ts'
import { readFreeDisk } from '../../platform/disk.ts'

const MB = 1_000_000
/** So that the disk is not filled to its end. */
const SPARE_BYTES = 64 * MB

/** @throws OperatorError for a disk without room for a backup beside the present state. */
export async function checkRoom(dataDir: string, unpackedBytes: number): Promise<void> {
  const neededBytes = unpackedBytes + SPARE_BYTES
  const { freeBytes } = await readFreeDisk(dataDir)
  if (freeBytes >= neededBytes) return
  throw new OperatorError(
    `The disk of ${dataDir} has ${Math.floor(freeBytes / MB)} MB free, and the backup needs ${Math.ceil(neededBytes / MB)} MB there beside the present state. Nothing was changed: free some space first.`,
  )
}
