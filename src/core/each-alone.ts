import { isFaultOfDisk } from './storage.ts'

/**
 * Does some work for each of several stores. What goes wrong for one is told and keeps no other from its turn; only a fault
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
