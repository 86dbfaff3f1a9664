import { OperatorError } from '../../core/operator-error.ts'
import { readFreeDisk } from '../../platform/disk.ts'
import type { PartName } from '../../platform/native/embedded.ts'
import { countMissingBytes, unpackedBase } from '../../platform/native/parts.ts'
import { unpackDirVariable } from '../../platform/native/unpack-base.ts'

const MB = 1_000_000

/** Space for a new database and its log, in bytes. */
const DATABASE_BYTES = 10 * MB

/**
 * Checks before a service listens that the parts of the executable which are still to be unpacked fit on the disk: without
 * them no search would ever succeed.
 *
 * @throws OperatorError that says how much space is needed.
 */
export async function checkDiskSpace(dataDir: string, parts: readonly PartName[]): Promise<void> {
  const missingBytes = countMissingBytes(parts)
  if (missingBytes === 0) return
  const folder = unpackedBase() ?? dataDir
  const neededBytes = missingBytes + DATABASE_BYTES
  const { freeBytes } = await readFreeDisk(folder)
  if (freeBytes >= neededBytes) return
  throw new OperatorError(
    `The disk of ${folder} has ${Math.floor(freeBytes / MB)} MB free, but the first start needs ${Math.ceil(neededBytes / MB)} MB there to unpack the model and its libraries.\n` +
      `Free some space, choose another folder with --data-dir, or name one on another disk in ${unpackDirVariable}.`,
  )
}
