import { createColumn } from './words/growing.ts'

/** Pictures in a sample, at most about; at least about half as many where the store has that many. */
const SAMPLE_MAX = 2_048

/** One past the highest hash. */
const HASHES = 2 ** 32

/**
 * A sample of a store's pictures: those of the products whose ids have the lowest hashes. So two nodes with the same
 * products, in whatever slots, have the same sample, and one node has it again after a restart.
 */
export function createSample() {
  /** Hash of the product's id, by slot. */
  const hashes = createColumn(Uint32Array)
  /** 1 for a slot that is in use. */
  const used = createColumn(Uint8Array)
  let count = 0
  /** Hashes below it are in the sample. */
  let bound = HASHES
  const members = new Set<number>()
  let listed: Uint32Array | undefined

  /** A power of two, so that it rarely changes. */
  function findBound(): number {
    let next = HASHES
    for (let share = count; share > SAMPLE_MAX; share /= 2) next /= 2
    return next
  }

  /** Begins anew where the store has grown or shrunk beyond a power of two. */
  function follow(): void {
    listed = undefined
    const next = findBound()
    if (next === bound) return
    bound = next
    members.clear()
    for (let slot = 0; slot < used.items.length; slot++) {
      if (used.items[slot] === 1 && (hashes.items[slot] as number) < bound) members.add(slot)
    }
  }

  function clear(slot: number): void {
    if (used.items[slot] !== 1) return
    used.items[slot] = 0
    count--
    members.delete(slot)
    follow()
  }

  return {
    set(slot: number, productId: string): void {
      const hash = Bun.hash.xxHash32(productId)
      if (used.items[slot] === 1 && hashes.items[slot] === hash) return
      clear(slot)
      hashes.reach(slot)
      used.reach(slot)
      hashes.items[slot] = hash
      used.items[slot] = 1
      count++
      if (hash < bound) members.add(slot)
      follow()
    },
    clear,

    /** Slots of the sample, in no order. Valid for one tick. */
    list(): Uint32Array {
      listed ??= Uint32Array.from(members)
      return listed
    },
  }
}
