export type Told = ReturnType<typeof createTold>

/**
 * Products that are compared with the names of categories, 27 bytes each. Categories are numbered by their place in a list of at
 * most 128.
 */
export function createTold(capacity: number) {
  const slots = new Uint32Array(capacity)
  const rows = new Float64Array(capacity)
  const owns = new Uint8Array(capacity)
  /** The name that fits best, and how well it, the next one and the own one fit. */
  const bests = new Uint8Array(capacity)
  const bestFits = new Float32Array(capacity).fill(-Infinity)
  const nextFits = new Float32Array(capacity).fill(-Infinity)
  const ownFits = new Float32Array(capacity)
  let size = 0

  const own = (n: number): number => owns[n] as number
  const best = (n: number): number => bests[n] as number
  /** How much better the best name fits than the next: than the own one, where that is another. */
  const margin = (n: number): number =>
    (bestFits[n] as number) - ((own(n) === best(n) ? nextFits[n] : ownFits[n]) as number)

  return {
    size: (): number => size,
    slot: (n: number): number => slots[n] as number,
    row: (n: number): number => rows[n] as number,
    own,
    best,
    margin,

    add(slot: number, row: number, category: number): void {
      slots[size] = slot
      rows[size] = row
      owns[size] = category
      size++
    },

    /** Notes how well a name fits a product. */
    meet(n: number, category: number, fit: number): void {
      if (category === own(n)) ownFits[n] = fit
      if (fit > (bestFits[n] as number)) {
        nextFits[n] = bestFits[n] as number
        bestFits[n] = fit
        bests[n] = category
      } else if (fit > (nextFits[n] as number)) nextFits[n] = fit
    },

    /** By category, the margins of the products that the model calls by its name, and the number of all. */
    listMargins(categories: number): { margins: Float32Array; total: number }[] {
      const totals = new Uint32Array(categories)
      const counts = new Uint32Array(categories)
      for (let n = 0; n < size; n++) {
        count(totals, own(n))
        if (own(n) === best(n)) count(counts, own(n))
      }
      const lists = [...counts].map((length) => new Float32Array(length))
      counts.fill(0)
      for (let n = 0; n < size; n++) {
        if (own(n) === best(n)) (lists[own(n)] as Float32Array)[count(counts, own(n))] = margin(n)
      }
      return lists.map((margins, category) => ({ margins, total: totals[category] as number }))
    },
  }
}

/** Counts one of a kind. @returns how many there were before. */
function count(counts: Uint32Array, kind: number): number {
  const before = counts[kind] as number
  counts[kind] = before + 1
  return before
}
