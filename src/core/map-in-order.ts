/**
 * Maps a list by asynchronous work, so many items at a time, and keeps its order. The first failure ends it: no
 * further item is begun.
 */
export async function mapInOrder<Item, Result>(
  items: readonly Item[],
  atATime: number,
  work: (item: Item, index: number) => Promise<Result>,
): Promise<Result[]> {
  const results: Result[] = []
  let next = 0
  let isOver = false
  const run = async () => {
    while (!isOver && next < items.length) {
      const index = next++
      try {
        results[index] = await work(items[index] as Item, index)
      } catch (error) {
        isOver = true
        throw error
      }
    }
  }
  await Promise.all(Array.from({ length: Math.min(atATime, items.length) }, run))
  return results
}
