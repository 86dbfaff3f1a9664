import { ApiError } from '../../../core/errors.ts'
import type { Footprint } from '../../../platform/vectors/footprint.ts'

/** What the machine has. */
export interface Machine {
  /** Bytes that are free on the disk of the data folder. */
  readFreeDiskBytes(): Promise<number>
  /** Bytes of memory that this machine, or the program's share of it, has left. */
  readFreeMemoryBytes(): number
}

export interface RoomDeps {
  machine: Machine
  countPictures(): { storeId: string; pictures: number }[]
  footprintOf(vectors: number, dimension: number): Footprint
  /** The most memory of all vectors together. */
  vectorMemoryBytesMax: number
}

/** A model of which vectors are to be made. */
export interface RoomWish {
  dimension: number
  /** Bytes of its files. */
  bytes: number
  /** Vectors of it that are there. */
  vectors: number
  /** Whether its processes run already. */
  isRunning: boolean
  /** Of the model in use. */
  dimensionInUse: number
}

const MB = 1_000_000
/** Stays free on the disk: the log of the database, and what stores write meanwhile. */
const DISK_REST_BYTES = 200 * MB
/** What the processes of a model take besides its weights, which they load, and some more for what they compute. */
const PROCESS_BYTES = 200 * MB
const WEIGHTS_FACTOR = 1.3

const inMb = (bytes: number): number => Math.ceil(bytes / MB)

/** Knows whether a second model finds room beside the one in use. */
export function createRoom({ machine, countPictures, footprintOf, vectorMemoryBytesMax }: RoomDeps) {
  /** What the vectors of all stores take, and those of the largest one. */
  function measure(stores: readonly { pictures: number }[], dimension: number) {
    let pictures = 0
    let diskBytes = 0
    let memoryBytes = 0
    let largestBytes = 0
    for (const store of stores) {
      const own = footprintOf(store.pictures, dimension)
      pictures += store.pictures
      diskBytes += own.diskBytes
      memoryBytes += own.memoryBytes
      largestBytes = Math.max(largestBytes, own.memoryBytes)
    }
    return { pictures, diskBytes, memoryBytes, largestBytes }
  }

  return {
    /**
     * Demands room for the vectors and the processes of a second model.
     *
     * @throws ApiError `model_no_room` with the numbers.
     */
    async demand(wish: RoomWish): Promise<void> {
      const stores = countPictures()
      const next = measure(stores, wish.dimension)
      const now = measure(stores, wish.dimensionInUse)
      const missing = next.pictures === 0 ? 0 : Math.max(0, 1 - wish.vectors / next.pictures)
      const diskBytes = next.diskBytes * missing
      const freeDiskBytes = await machine.readFreeDiskBytes()
      if (diskBytes > 0 && freeDiskBytes < diskBytes + DISK_REST_BYTES)
        throw noRoom(
          `The vectors of ${next.pictures} pictures by the other model need ${inMb(diskBytes)} MB on the disk, and ${inMb(DISK_REST_BYTES)} MB must stay free, but only ${inMb(freeDiskBytes)} MB are: free some space, then try again`,
          { disk_needed_bytes: diskBytes + DISK_REST_BYTES, disk_free_bytes: freeDiskBytes },
        )
      // Stores switch one by one, so only one of them is in memory twice.
      const vectorsBytes = Math.max(next.memoryBytes, now.memoryBytes) + next.largestBytes
      if (vectorsBytes > vectorMemoryBytesMax)
        throw noRoom(
          `The vectors of both models need up to ${inMb(vectorsBytes)} MB of memory, but all vectors together may take ${inMb(vectorMemoryBytesMax)} MB: give this machine more memory, or choose a model with fewer dimensions`,
          { memory_needed_bytes: vectorsBytes, memory_free_bytes: vectorMemoryBytesMax },
        )
      const grownBytes = Math.max(0, next.memoryBytes - now.memoryBytes) + next.largestBytes
      const processBytes = wish.isRunning ? 0 : PROCESS_BYTES + WEIGHTS_FACTOR * wish.bytes
      const neededBytes = grownBytes + processBytes
      const freeMemoryBytes = machine.readFreeMemoryBytes()
      if (neededBytes > freeMemoryBytes)
        throw noRoom(
          `The processes of the other model need about ${inMb(processBytes)} MB of memory beside those of the present one, and vectors ${inMb(grownBytes)} MB more, but only ${inMb(freeMemoryBytes)} MB are free: give this machine more memory, or choose a smaller model`,
          { memory_needed_bytes: neededBytes, memory_free_bytes: freeMemoryBytes },
        )
    },
  }
}

const noRoom = (message: string, details: Record<string, number>): ApiError =>
  new ApiError('model_no_room', message, {
    details: Object.fromEntries(Object.entries(details).map(([name, bytes]) => [name, Math.ceil(bytes)])),
  })
