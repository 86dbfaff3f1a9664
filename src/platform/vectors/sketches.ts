/** Vectors whose mean stands for that of the store. */
const SAMPLE = 1_024

/** Sketches made with each vector that is put, until all are: no write waits for those of the whole store. */
const STEPS = 8

/** The growth of a store after which it gets a new mean, as a factor. */
const GROWTH = 4

interface SketchedSlots {
  takenSlots(): number
  /** Undefined for a free slot. */
  vectorAt(slot: number): Float32Array | undefined
  /** Writes the sketch of a slot, unless it is free. */
  write(slot: number, mean: Float32Array): void
}

/**
 * Knows which slots of a store have sketches: every taken one below `done`. Small stores have none.
 *
 * @param largeSlots stores of more slots have sketches.
 */
export function createSketches(largeSlots: number, { takenSlots, vectorAt, write }: SketchedSlots) {
  let mean: Float32Array | undefined
  /** Slots when the mean was taken. */
  let meanOf = 0
  let done = 0

  function findMean(): Float32Array | undefined {
    const slots = takenSlots()
    const step = Math.max(1, Math.floor(slots / SAMPLE))
    let sum: Float32Array | undefined
    let count = 0
    for (let slot = 0; slot < slots; slot += step) {
      const vector = vectorAt(slot)
      if (!vector) continue
      count++
      if (sum) for (let i = 0; i < sum.length; i++) sum[i] = (sum[i] as number) + (vector[i] as number)
      else sum = vector
    }
    return sum?.map((total) => total / count)
  }

  return {
    get done(): number {
      return done
    },
    /** Of all sketches below `done`; another object once they are rebuilt. */
    get mean(): Float32Array | undefined {
      return mean
    },
    /** Call it after a vector was put. */
    follow(slot: number): void {
      const slots = takenSlots()
      if (slots > Math.max(largeSlots, GROWTH * meanOf)) {
        mean = findMean()
        meanOf = slots
        done = 0
      }
      if (!mean) return
      if (slot < done) write(slot, mean)
      for (let n = 0; n < STEPS && done < slots; n++) write(done++, mean)
    },
  }
}
