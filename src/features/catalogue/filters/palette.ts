import { BoundedMap } from '../../../core/bounded-map.ts'
import { deltaE2000, type Lab, lightnessReach, parseHex, toLab } from '../../../core/colours/lab.ts'

/** A colour with a smaller share of the picture is no main colour. */
const SHARE_MIN = 0.15

/** Colours kept as Lab: the most that a filter has. */
const WANTED_MAX = 100

/**
 * Creates a test whether a stored palette has a main colour near another one.
 *
 * @returns takes the palette as JSON, the colour as `#rrggbb` and the largest distance (ΔE2000).
 */
export function createPaletteTest(): (palette: string, hex: string, deltaE: number) => boolean {
  // A walk asks for the same colours again and again, and for all of them before the next palette.
  const wanted = new BoundedMap<string, Lab | undefined>(WANTED_MAX)
  let last: { palette: string; colours: Lab[] } = { palette: '[]', colours: [] }

  function readWanted(hex: string): Lab | undefined {
    const known = wanted.get(hex)
    if (known) return known
    const rgb = parseHex(hex)
    const lab = rgb === undefined ? undefined : toLab(rgb)
    wanted.set(hex, lab)
    return lab
  }

  function readColours(palette: string): Lab[] {
    if (palette === last.palette) return last.colours
    const colours = (JSON.parse(palette) as { hex: string; share: number }[]).flatMap(({ hex, share }) => {
      const rgb = share < SHARE_MIN ? undefined : parseHex(hex)
      return rgb === undefined ? [] : [toLab(rgb)]
    })
    last = { palette, colours }
    return colours
  }

  return (palette, hex, deltaE) => {
    const lab = readWanted(hex)
    if (!lab) return false
    const reach = lightnessReach(deltaE)
    return readColours(palette).some(
      (colour) => Math.abs(colour.l - lab.l) <= reach && deltaE2000(colour, lab) <= deltaE,
    )
  }
}
