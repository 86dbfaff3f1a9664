import { createHash } from 'node:crypto'
import { ApiError } from '../../../core/errors.ts'
import type { ArrivalDeps } from './world.ts'

/** Takes the picture files of stores that arrive. @param demandArriving throws for a move that is over. */
export function createPictures(
  deps: Pick<ArrivalDeps, 'queries' | 'files' | 'atomically' | 'withoutFsync'>,
  demandArriving: (id: string) => unknown,
) {
  const { queries, atomically } = deps
  return {
    async findMissing(id: string, hashes: readonly string[]): Promise<string[]> {
      demandArriving(id)
      const missing: string[] = []
      for (const hash of new Set(hashes)) if (!(await deps.files.file(hash))) missing.push(hash)
      return missing
    },

    /** @throws ApiError `invalid_request` for other bytes. */
    async putPicture(id: string, hash: string, bytes: Uint8Array): Promise<void> {
      demandArriving(id)
      if (createHash('sha256').update(bytes).digest('hex') !== hash)
        throw new ApiError('invalid_request', 'The bytes are not those of the hash')
      await deps.files.write(hash, bytes)
      deps.withoutFsync(() => atomically(() => queries.countPicture(id)))
    },
  }
}
