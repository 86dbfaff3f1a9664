import type { Fusion } from '../fusion.ts'
import type { SearchedStore } from '../searched-store.ts'
import type { ExactLeg } from './leg.ts'

/** What a store has learned of its products from clicks: how much each gains, in units of a cosine, by its row. */
export type Priors = ReadonlyMap<number, number>

interface Placed {
  columns: SearchedStore['columns']
  version: number
  slots: Uint32Array
  numbers: Float32Array
}

/** Where the pictures of those products lie, as long as the index of the store stays as it is. */
const placed = new WeakMap<Priors, Placed>()

function place({ columns, segment }: SearchedStore, priors: Priors): Placed {
  const version = columns.version()
  const known = placed.get(priors)
  if (known?.columns === columns && known.version === version) return known
  const slots: number[] = []
  for (let slot = 0; slot < segment.slots; slot++) if (priors.has(columns.productAt(slot))) slots.push(slot)
  const numbers = Float32Array.from(slots, (slot) => priors.get(columns.productAt(slot)) ?? 0)
  const found = { columns, version, slots: Uint32Array.from(slots), numbers }
  placed.set(priors, found)
  return found
}

/** What products gain by the clicks of shoppers. Valid for one tick. */
function clicksLeg(store: SearchedStore, priors: Priors): ExactLeg {
  const { productAt } = store.columns
  return {
    name: 'clicks',
    at: (slot) => priors.get(productAt(slot)) ?? 0,
    addTo(values, factor) {
      const { slots, numbers } = place(store, priors)
      for (let n = 0; n < slots.length; n++) {
        const slot = slots[n] as number
        if (slot < values.length) values[slot] = (values[slot] as number) + factor * (numbers[n] as number)
      }
    },
  }
}

/** The same ranking, and products gain by clicks where pictures or words are compared. */
export const withClicks = (fusion: Fusion, priors: Priors): Fusion =>
  fusion.legs.length === 0
    ? fusion
    : {
        ...fusion,
        exactLegs: (store, scannedBy) => [...fusion.exactLegs(store, scannedBy), clicksLeg(store, priors)],
      }
