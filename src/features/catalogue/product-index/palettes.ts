import { type CellMeasure, nearness, nearTest, shadeMeasure, shadeTest } from '../../../core/colours/cells.ts'
import { type ColourQuery, SEVERAL } from '../../../core/colours/colours.ts'
import { type Lab, parseHex } from '../../../core/colours/lab.ts'
import { HUES, type Shade } from '../../../core/colours/shades.ts'

/** One colour of a picture, and its share of the picture's counted pixels, 0 to 1. */
export interface PaletteColour {
  hex: string
  share: number
}

export interface PaletteMatch {
  /** The least share of the picture that must have the colour, all its nuances together. */
  share: number
  /** The greatest difference CIEDE2000 from a hex. */
  deltaE: number
}

export type PaletteColumn = ReturnType<typeof createPalettes>

/** Colours kept of one picture. */
const COLOURS = 5
/** The greatest difference (CIEDE2000) at which a colour still counts a little. */
const DELTA_E = 20
/** Shares are kept in steps of half a percent, rounded down, so that a limit in whole percents is exact. */
const SHARE_STEPS = 200

/**
 * The main colours of a store's pictures by slot: 20 bytes each. A colour is 32 bits: its share in steps, then 24 bits of
 * sRGB. 0 stands for none and ends a palette.
 */
export function createPalettes() {
  let capacity = 64
  let packed = new Uint32Array(capacity * COLOURS)

  function grow(slot: number): void {
    if (slot < capacity) return
    while (capacity <= slot) capacity *= 2
    const grown = new Uint32Array(capacity * COLOURS)
    grown.set(packed)
    packed = grown
  }

  function clear(slot: number): void {
    if (slot < capacity) packed.fill(0, slot * COLOURS, (slot + 1) * COLOURS)
  }

  function write(slot: number, palette: readonly PaletteColour[]): void {
    grow(slot)
    clear(slot)
    let at = slot * COLOURS
    for (const { hex, share } of palette.slice(0, COLOURS)) {
      const rgb = parseHex(hex)
      if (rgb !== undefined) packed[at++] = pack(rgb, share)
    }
  }

  /** Whether the shares of the colours of a slot that pass a test add up to `least` steps. */
  function hasShare(slot: number, least: number, test: (rgb: number) => boolean): boolean {
    if (slot >= capacity) return false
    let sum = 0
    for (let at = slot * COLOURS; at < (slot + 1) * COLOURS && sum < least; at++) {
      const colour = packed[at] as number
      if (colour === 0) break
      if (test(colour & 0xffffff)) sum += colour >>> 24
    }
    return sum >= least
  }

  /** How much of a picture has a colour, each of its colours weighed: 0 to 1. @param enough the share that counts as all. */
  function weigh(slot: number, measure: CellMeasure, enough: number): number {
    if (slot >= capacity) return 0
    let sum = 0
    for (let at = slot * COLOURS; at < (slot + 1) * COLOURS; at++) {
      const kept = packed[at] as number
      if (kept === 0) break
      sum += (kept >>> 24) * measure.of(kept)
    }
    return Math.min(1, sum / SHARE_STEPS / enough)
  }

  return {
    /** Fills a slot. */
    set: write,

    /** Fills a slot from a palette as the database keeps it: the JSON of a list of {@link PaletteColour}. */
    load(slot: number, json: string): void {
      grow(slot)
      clear(slot)
      if (!scan(json, packed, slot * COLOURS)) write(slot, JSON.parse(json))
    },
    clear,

    /**
     * Makes a test of slots: whether so much of a picture has a colour. Of several colours each must be there. A
     * multicoloured picture has three kinds of colour.
     */
    matcher(query: ColourQuery, { share, deltaE }: PaletteMatch): (slot: number) => boolean {
      const least = Math.ceil(share * SHARE_STEPS - 1e-9)
      if (query.kind === 'hex') {
        const isNear = nearTest(query.lab, deltaE)
        return (slot) => hasShare(slot, least, isNear)
      }
      const tests = query.shades.map((shade) => {
        if (shade.base === 'multicolour') return countHues()
        const has = shadeTest(shade)
        return (slot: number): boolean => hasShare(slot, least, has)
      })
      const [only] = tests
      return tests.length === 1 && only ? only : (slot) => tests.every((test) => test(slot))
    },

    /**
     * How well each picture shows some colours, by slot: 0 to 1, the mean over the colours. A colour counts with the share
     * of the picture that lies near it, fully where equal and less with the square of the difference, up to `deltaE`
     * (CIEDE2000); see `nearness`. Of two colours half of `enough` each suffices, of three a third.
     *
     * @param slots the length of the answer.
     * @param enough the share of the picture that counts as all of it.
     */
    score(colours: readonly Lab[], slots: number, enough = 1, deltaE = DELTA_E): Float32Array {
      const scores = new Float32Array(slots)
      for (const colour of colours) {
        const measure = nearness(colour, deltaE)
        for (let slot = 0; slot < slots; slot++) {
          const covered = weigh(slot, measure, enough / colours.length)
          scores[slot] = (scores[slot] as number) + covered / colours.length
        }
      }
      return scores
    },

    /**
     * Makes a measure of pictures, by slot: how much of one can be called by a shade, 0 to 1.
     *
     * @param enough the share of the picture that counts as all of it.
     */
    shadeMeter(shade: Shade, enough: number): (slot: number) => number {
      const measure = shadeMeasure(shade)
      return (slot) => weigh(slot, measure, enough)
    },

    /** The same measure as {@link score}, for single slots. */
    meter(colours: readonly Lab[], enough: number): (slot: number) => number {
      const measures = colours.map((colour) => nearness(colour, DELTA_E))
      return (slot) => {
        let sum = 0
        for (let n = 0; n < measures.length; n++)
          sum += weigh(slot, measures[n] as CellMeasure, enough / measures.length)
        return sum / measures.length
      }
    },
  }

  /** Makes a test of slots: whether several kinds of colour have a tenth of the picture each. */
  function countHues(): (slot: number) => boolean {
    const tests = HUES.map((base) => shadeTest({ base }))
    return (slot) => tests.filter((has) => hasShare(slot, SHARE_STEPS / 10, has)).length >= SEVERAL
  }
}

const pack = (rgb: number, share: number): number => {
  const steps = Math.floor(Math.min(1, Math.max(0, share)) * SHARE_STEPS + 1e-9)
  return ((Math.max(1, steps) << 24) | rgb) >>> 0
}

const [HEX_AT, SHARE_AT, ENTRY_CHARS_MIN] = [9, 25, 27]

/**
 * Reads `[{"hex":"#rrggbb","share":0.123},…]` as `JSON.stringify` writes it, several times faster than `JSON.parse`.
 *
 * @returns false for a text of another form.
 */
function scan(json: string, packed: Uint32Array, first: number): boolean {
  if (json === '[]') return true
  let at = 1
  for (let n = 0; n < COLOURS; n++) {
    const end = json.indexOf('}', at)
    if (end < at + ENTRY_CHARS_MIN - 1 || !json.startsWith('{"hex":"#', at)) return false
    if (!json.startsWith('","share":', at + HEX_AT + 6)) return false
    const rgb = Number.parseInt(json.slice(at + HEX_AT, at + HEX_AT + 6), 16)
    const share = Number(json.slice(at + SHARE_AT, end))
    if (!(rgb >= 0) || !(share >= 0)) return false
    packed[first + n] = pack(rgb, share)
    if (json[end + 1] !== ',') return json.length === end + 2
    at = end + 2
  }
  return true
}
