import { deltaE2000, type Lab, lightnessReach, type OkLch, toLab, toOkLch } from './lab.ts'
import { isOfShade, type Shade } from './shades.ts'

/*
 * A store has hundreds of thousands of palette colours, and each comparison has roots and powers in it. So sRGB is cut into
 * cells of 8 levels a channel, whose middles are compared once for a query, when a colour of the cell first asks. What is
 * computed for the middle is about 1 (CIEDE2000) off for the colours around it.
 */

const CELLS = 32 ** 3

/** The number of a colour's cell. @param rgb 24 bits of sRGB; higher bits are ignored. */
const cellOf = (rgb: number): number => ((rgb >> 9) & 0x7c00) | ((rgb >> 6) & 0x3e0) | ((rgb >> 3) & 0x1f)

const middleOf = (cell: number): number =>
  ((cell & 0x7c00) << 9) | ((cell & 0x3e0) << 6) | ((cell & 0x1f) << 3) | 0x040404

/** The blocks of 2 x 2 x 2 cells, and the first of a block's cells. */
const BLOCKS = 16 ** 3
const blockOf = (cell: number): number => ((cell >> 3) & 0xf00) | ((cell >> 2) & 0xf0) | ((cell >> 1) & 0xf)

/** The differences within a block are less than this beside that of one of its cells; see {@link differencesFrom}. */
const BLOCK_ERROR = 12

/** Three numbers for the middle of each cell, computed when they are first needed and kept: all at once take 0.1 s. */
function createMiddles(convert: (rgb: number) => readonly [number, number, number]) {
  let numbers: Float32Array | undefined
  return {
    /** All numbers. Only those of cells that were asked for are there; see {@link need}. */
    read(): Float32Array {
      numbers ??= new Float32Array(CELLS * 3).fill(Number.NaN)
      return numbers
    },
    /** Computes those of a cell. */
    need(cell: number): void {
      const all = this.read()
      if (!Number.isNaN(all[cell * 3])) return
      all.set(convert(middleOf(cell)), cell * 3)
    },
  }
}

const labs = createMiddles((rgb) => {
  const { l, a, b } = toLab(rgb)
  return [l, a, b]
})
const okLchs = createMiddles((rgb) => {
  const { l, c, h } = toOkLch(rgb)
  return [l, c, h]
})

/**
 * Compares the middles of cells with a colour.
 *
 * @returns the difference CIEDE2000 of a cell; infinite for most that are farther than `deltaE`. A whole block of cells is
 *   passed over where its first one is far beyond.
 */
function differencesFrom(lab: Lab, deltaE: number): (cell: number) => number {
  const middles = labs.read()
  const reach = lightnessReach(deltaE)
  const [far, close] = [1, 2]
  const blocks = new Uint8Array(BLOCKS)
  const compare = (cell: number): number =>
    deltaE2000(lab, {
      l: middles[cell * 3] as number,
      a: middles[cell * 3 + 1] as number,
      b: middles[cell * 3 + 2] as number,
    })
  return (cell) => {
    labs.need(cell)
    if (Math.abs((middles[cell * 3] as number) - lab.l) > reach) return Number.POSITIVE_INFINITY
    const block = blockOf(cell)
    if (blocks[block] === 0) blocks[block] = compare(cell) > deltaE + BLOCK_ERROR ? far : close
    return blocks[block] === far ? Number.POSITIVE_INFINITY : compare(cell)
  }
}

/** What is known of the cells for each shade, 32 KB each; there are fewer than a hundred shades. */
const shadeCells = new Map<string, Uint8Array>()

/** Makes a test of colours: whether a shade's name fits them. The middle of a colour's cell decides. */
export function shadeTest(shade: Shade): (rgb: number) => boolean {
  const middles = okLchs.read()
  const [no, yes] = [1, 2]
  const name = `${shade.base} ${shade.tone ?? ''}`
  const known = shadeCells.get(name) ?? new Uint8Array(CELLS)
  shadeCells.set(name, known)
  return (rgb) => {
    const cell = cellOf(rgb)
    if (known[cell] === 0) {
      okLchs.need(cell)
      const colour: OkLch = {
        l: middles[cell * 3] as number,
        c: middles[cell * 3 + 1] as number,
        h: middles[cell * 3 + 2] as number,
      }
      known[cell] = isOfShade(colour, shade) ? yes : no
    }
    return known[cell] === yes
  }
}

/**
 * By how much the differences of a colour and of its cell's middle may differ. More happens to 1 pair in 10,000: a vivid
 * colour and a grey whose hue is barely defined, where the formula itself jumps.
 */
const CELL_ERROR = 6

/** Makes a test of colours: whether they are near one. Only cells on the border ask for each colour. */
export function nearTest(lab: Lab, deltaE: number): (rgb: number) => boolean {
  const [far, near, mixed] = [1, 2, 3]
  const known = new Uint8Array(CELLS)
  const differenceOf = differencesFrom(lab, deltaE + CELL_ERROR)
  return (rgb) => {
    const cell = cellOf(rgb)
    if (known[cell] === 0) {
      const difference = differenceOf(cell)
      known[cell] = difference > deltaE + CELL_ERROR ? far : difference < deltaE - CELL_ERROR ? near : mixed
    }
    return known[cell] === mixed ? deltaE2000(lab, toLab(rgb)) <= deltaE : known[cell] === near
  }
}

/** Numbers from 0 to 1 are kept in this many steps. */
const STEPS = 254

/**
 * A number from 0 to 1 for each colour; all colours of a cell have the same. Weighing a store's palettes asks hundreds of thousands of
 * times, so all measures are of one class: a call through a variable takes several times as long.
 */
export class CellMeasure {
  /** 0 stands for a cell that nobody has asked for. */
  readonly #steps: Uint8Array
  readonly #compute: (cell: number) => number

  /** @param steps may be kept for the next measure of the same numbers. */
  constructor(compute: (cell: number) => number, steps = new Uint8Array(CELLS)) {
    this.#compute = compute
    this.#steps = steps
  }

  /** @param rgb 24 bits of sRGB; higher bits are ignored. */
  of(rgb: number): number {
    const cell = cellOf(rgb)
    const step = this.#steps[cell] as number
    return ((step === 0 ? this.#fill(cell) : step) - 1) / STEPS
  }

  #fill(cell: number): number {
    const step = 1 + Math.round(STEPS * this.#compute(cell))
    this.#steps[cell] = step
    return step
  }
}

/** Measures colours: 1 for an equal one, less with the square of the difference, 0 from `deltaE` on. */
export function nearness(lab: Lab, deltaE: number): CellMeasure {
  const differenceOf = differencesFrom(lab, deltaE)
  return new CellMeasure((cell) => {
    const part = differenceOf(cell) / deltaE
    return part < 1 ? 1 - part * part : 0
  })
}

/** Measures colours: 1 for those that a shade's name fits, 0 for the others; see {@link shadeTest}. */
export function shadeMeasure(shade: Shade): CellMeasure {
  const has = shadeTest(shade)
  return new CellMeasure((cell) => Number(has(middleOf(cell))), stepsOf(shade))
}

/** The steps of each shade's measure; there are fewer than a hundred shades. */
const shadeSteps = new Map<string, Uint8Array<ArrayBuffer>>()

function stepsOf({ base, tone }: Shade): Uint8Array<ArrayBuffer> {
  const name = `${base} ${tone ?? ''}`
  const known = shadeSteps.get(name) ?? new Uint8Array(CELLS)
  shadeSteps.set(name, known)
  return known
}
