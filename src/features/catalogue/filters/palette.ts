import {
  convertRgbToLab65,
  differenceCiede2000,
  type Lab65,
  modeLab65,
  modeRgb,
  parseHex,
  useMode,
} from 'culori/fn'

useMode(modeRgb)
useMode(modeLab65)

/** A colour with a smaller share of the picture is no main colour. */
const SHARE_MIN = 0.15

const difference = differenceCiede2000()

const toLab = (hex: string): Lab65 | undefined => {
  const rgb = parseHex(hex)
  return rgb && convertRgbToLab65(rgb)
}

/**
 * Creates a test whether a stored palette has a main colour near another one.
 *
 * @returns takes the palette as JSON, the colour as `#rrggbb` and the largest distance (ΔE2000).
 */
export function createPaletteTest(): (palette: string, hex: string, deltaE: number) => boolean {
  // A walk asks for one colour again and again.
  let wanted: { hex: string; lab: Lab65 } | undefined
  return (palette, hex, deltaE) => {
    if (wanted?.hex !== hex) {
      const lab = toLab(hex)
      if (!lab) return false
      wanted = { hex, lab }
    }
    for (const colour of JSON.parse(palette) as { hex: string; share: number }[]) {
      if (colour.share < SHARE_MIN) continue
      const lab = toLab(colour.hex)
      if (lab && difference(lab, wanted.lab) <= deltaE) return true
    }
    return false
  }
}
