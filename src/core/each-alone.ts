import { isFaultOfDisk } from './storage.ts'

/**
 * Does some work for each of several stores. A failure for one is reported and does not stop the others; only a fault
 * of the disk, which would meet them all, ends the work.
 *
 * @throws the fault of the disk.
 */
export async function eachAlone<Item>(
  items: Iterable<Item>,
  work: (item: Item) => unknown,
  tell: (error: unknown, item: Item) => void,
): Promise<void> {
  for (const item of items) {
    try {
      await work(item)
    } catch (error) {
      if (isFaultOfDisk(error)) throw error
      tell(error, item)
    }
  }
}
