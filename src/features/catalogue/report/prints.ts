import type { Breathe } from './found.ts'

/** Prints of pictures that differ in more bits are not of the same picture. */
const BITS_MAX = 6
/** Of a band that more pictures share, each is compared with the next ones only. */
const NEXT = 32
const BANDS = 4
const BAND_VALUES = 1 << 16
/** Pictures in one step. */
const STEP = 4_096

export type Prints = ReturnType<typeof createPrints>

/**
 * The perceptual prints of a store's first pictures: 24 bytes each, and 20 more while they are paired.
 *
 * Two prints that differ in at most three bits agree in one of four bands of 16 bits, and most that differ in six do. So
 * a counting sort by each band brings the pairs together, and its cost grows with the number of pictures alone.
 */
export function createPrints() {
  let capacity = 1_024
  let size = 0
  let rows = new Float64Array(capacity)
  let pictures = new Float64Array(capacity)
  let words = new Uint32Array(2 * capacity)

  const bandOf = (n: number, band: number): number => {
    const word = words[2 * n + (band >> 1)] as number
    return band & 1 ? word & 0xffff : word >>> 16
  }
  const differingBits = (a: number, b: number): number =>
    countBits((words[2 * a] as number) ^ (words[2 * b] as number)) +
    countBits((words[2 * a + 1] as number) ^ (words[2 * b + 1] as number))

  /** The pictures in the order of one band. */
  async function sort(band: number, breathe: Breathe): Promise<Uint32Array> {
    const ends = new Uint32Array(BAND_VALUES + 1)
    for (let n = 0; n < size; n++) {
      if (n % STEP === STEP - 1) await breathe()
      const value = bandOf(n, band) + 1
      ends[value] = (ends[value] as number) + 1
    }
    for (let value = 0; value < BAND_VALUES; value++)
      ends[value + 1] = (ends[value + 1] as number) + (ends[value] as number)
    const sorted = new Uint32Array(size)
    for (let n = 0; n < size; n++) {
      if (n % STEP === STEP - 1) await breathe()
      const value = bandOf(n, band)
      sorted[ends[value] as number] = n
      ends[value] = (ends[value] as number) + 1
    }
    return sorted
  }

  return {
    /** @param print 16 hex digits; another text is left out. */
    add(row: number, picture: number, print: string): void {
      if (!/^[0-9a-f]{16}$/.test(print)) return
      if (size === capacity) {
        capacity *= 2
        rows = copy(rows, new Float64Array(capacity))
        pictures = copy(pictures, new Float64Array(capacity))
        words = copy(words, new Uint32Array(2 * capacity))
      }
      rows[size] = row
      pictures[size] = picture
      words[2 * size] = Number.parseInt(print.slice(0, 8), 16)
      words[2 * size + 1] = Number.parseInt(print.slice(8), 16)
      size++
    },

    /**
     * Finds pairs of pictures that look the same, the older product first. Each pair comes once, and all of an older product
     * in a band come one after the other.
     *
     * @param meet returns false when it has enough.
     */
    async pair(
      meet: (older: PrintedPicture, newer: PrintedPicture) => boolean,
      breathe: Breathe,
    ): Promise<void> {
      const at = (n: number): PrintedPicture => ({ row: rows[n] as number, pictureId: pictures[n] as number })
      /** For each band that is done, where its order has each picture. */
      const done: Uint32Array[] = []
      const hasMet = (one: number, other: number): boolean =>
        done.some(
          (places, band) =>
            bandOf(one, band) === bandOf(other, band) &&
            (places[other] as number) - (places[one] as number) <= NEXT,
        )
      for (let band = 0; band < BANDS; band++) {
        const sorted = await sort(band, breathe)
        const places = new Uint32Array(size)
        for (let i = 0; i < size; i++) {
          if (i % 16 === 15) await breathe()
          // The order of a band keeps that of the pictures, so `one` is the older of each pair.
          const one = sorted[i] as number
          places[one] = i
          for (let j = i + 1; j < Math.min(size, i + 1 + NEXT); j++) {
            const other = sorted[j] as number
            if (bandOf(other, band) !== bandOf(one, band)) break
            if (differingBits(one, other) > BITS_MAX || hasMet(one, other)) continue
            if (!meet(at(one), at(other))) return
          }
        }
        done.push(places)
      }
    },
  }
}

export interface PrintedPicture {
  /** Row of the product. */
  row: number
  pictureId: number
}

function countBits(word: number): number {
  let bits = word - ((word >>> 1) & 0x55555555)
  bits = (bits & 0x33333333) + ((bits >>> 2) & 0x33333333)
  return (((bits + (bits >>> 4)) & 0x0f0f0f0f) * 0x01010101) >>> 24
}

function copy<Column extends Float64Array | Uint32Array>(from: Column, to: Column): Column {
  to.set(from)
  return to
}
