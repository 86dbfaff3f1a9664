/** A colour in CIELAB under D65: lightness 0 to 100, `a` and `b` about -110 to 100. */
export interface Lab {
  l: number
  a: number
  b: number
}

/** A colour in OKLCh: lightness 0 to 1, chroma 0 to about 0.33, hue in degrees from 0 up to 360. */
export interface OkLch {
  l: number
  c: number
  h: number
}

/**
 * Reads `#rrggbb`, `rrggbb` or `#rgb`, in either case.
 *
 * @returns 24 bits, red highest; undefined for any other text.
 */
export function parseHex(text: string): number | undefined {
  const hex = text.trim()
  if (/^#?[\da-f]{6}$/i.test(hex)) return Number.parseInt(hex.slice(-6), 16)
  if (/^#[\da-f]{3}$/i.test(hex)) return Number.parseInt(hex.slice(1).replace(/./g, '$&$&'), 16)
  return undefined
}

/** The linear light of each value of a channel (IEC 61966-2-1). */
const LINEAR = Float64Array.from({ length: 256 }, (_, n) =>
  n / 255 <= 0.04045 ? n / 255 / 12.92 : ((n / 255 + 0.055) / 1.055) ** 2.4,
)
const red = (rgb: number): number => LINEAR[(rgb >> 16) & 255] as number
const green = (rgb: number): number => LINEAR[(rgb >> 8) & 255] as number
const blue = (rgb: number): number => LINEAR[rgb & 255] as number

const WHITE_X = 0.3127 / 0.329
const WHITE_Z = (1 - 0.3127 - 0.329) / 0.329
const labRoot = (t: number): number => (t > 216 / 24389 ? Math.cbrt(t) : ((24389 / 27) * t + 16) / 116)

/**
 * Converts a colour of sRGB, as culori's `lab65` does. It needs no object of culori, so that all palettes of a store
 * can be converted within milliseconds.
 *
 * @param rgb 24 bits, red highest.
 */
export function toLab(rgb: number): Lab {
  const [r, g, b] = [red(rgb), green(rgb), blue(rgb)]
  const x = labRoot((0.4123907992659593 * r + 0.357584339383878 * g + 0.1804807884018343 * b) / WHITE_X)
  const y = labRoot(0.2126390058715102 * r + 0.715168678767756 * g + 0.0721923153607337 * b)
  const z = labRoot((0.0193308187155918 * r + 0.119194779794626 * g + 0.9505321522496607 * b) / WHITE_Z)
  // Rounding would give a grey a hue.
  const isGrey = r === g && g === b
  return { l: 116 * y - 16, a: isGrey ? 0 : 500 * (x - y), b: isGrey ? 0 : 200 * (y - z) }
}

/**
 * Converts a colour of sRGB to OKLCh (Ottosson 2020), as culori's `oklch` does. Its hue stays the same from light to
 * dark, unlike that of CIELAB, where blue turns to purple. The hue of a grey means nothing.
 *
 * @param rgb 24 bits, red highest.
 */
export function toOkLch(rgb: number): OkLch {
  const [r, g, b] = [red(rgb), green(rgb), blue(rgb)]
  const l = Math.cbrt(0.412221469470763 * r + 0.5363325372617348 * g + 0.0514459932675022 * b)
  const m = Math.cbrt(0.2119034958178252 * r + 0.6806995506452344 * g + 0.1073969535369406 * b)
  const s = Math.cbrt(0.0883024591900564 * r + 0.2817188391361215 * g + 0.6299787016738222 * b)
  const a = 1.9779985324311684 * l - 2.4285922420485799 * m + 0.450593709617411 * s
  const b2 = 0.0259040424655478 * l + 0.7827717124575296 * m - 0.8086757549230774 * s
  const degrees = (Math.atan2(b2, a) * 180) / Math.PI
  return {
    l: 0.210454268309314 * l + 0.7936177747023054 * m - 0.0040720430116193 * s,
    c: Math.sqrt(a * a + b2 * b2),
    h: degrees < 0 ? degrees + 360 : degrees,
  }
}

/** Powers of `chroma^7 / (chroma^7 + 25^7)`. */
const POWER_25 = 25 ** 7
const saturation = (chroma: number): number => {
  const third = chroma * chroma * chroma
  const power = third * third * chroma
  return Math.sqrt(power / (power + POWER_25))
}

const COS_6 = Math.cos(Math.PI / 30)
const SIN_6 = Math.sin(Math.PI / 30)
const COS_30 = Math.cos(Math.PI / 6)
const SIN_30 = Math.sin(Math.PI / 6)
const COS_63 = Math.cos((63 * Math.PI) / 180)
const SIN_63 = Math.sin((63 * Math.PI) / 180)

/**
 * The difference CIEDE2000 of two colours (Sharma, Wu and Dalal 2005). About 1 is the least that an eye sees; nuances that
 * go by one name lie up to about 20 apart.
 *
 * The formula's sines and cosines of the mean hue are computed from coordinates, which takes a fraction of the time.
 */
export function deltaE2000(one: Lab, other: Lab): number {
  const [b1, b2] = [one.b, other.b]
  const meanChroma = (Math.sqrt(one.a * one.a + b1 * b1) + Math.sqrt(other.a * other.a + b2 * b2)) / 2
  const stretch = 1.5 - 0.5 * saturation(meanChroma)
  const [a1, a2] = [one.a * stretch, other.a * stretch]
  const c1 = Math.sqrt(a1 * a1 + b1 * b1)
  const c2 = Math.sqrt(a2 * a2 + b2 * b2)
  const chroma = (c1 + c2) / 2
  const offset = (one.l + other.l) / 2 - 50
  const lightness = (other.l - one.l) / (1 + (0.015 * offset * offset) / Math.sqrt(20 + offset * offset))
  const chromas = (c2 - c1) / (1 + 0.045 * chroma)
  const grey = lightness * lightness + chromas * chromas
  // A grey has no hue.
  if (c1 === 0 || c2 === 0) return Math.sqrt(grey)

  // The direction halfway between the hues; of opposite ones that which lies a quarter turn behind the greater angle.
  let x = a1 / c1 + a2 / c2
  let y = b1 / c1 + b2 / c2
  const length = Math.sqrt(x * x + y * y)
  if (length > 1e-9) {
    x /= length
    y /= length
  } else {
    const isFirst = b1 >= 0
    x = (isFirst ? -b1 : b1) / c1
    y = (isFirst ? a1 : -a1) / c1
  }
  const [x2, y2] = [x * x - y * y, 2 * x * y]
  const [x3, y3] = [x2 * x - y2 * y, y2 * x + x2 * y]
  const [x4, y4] = [x2 * x2 - y2 * y2, 2 * x2 * y2]
  const weight =
    1 -
    0.17 * (x * COS_30 + y * SIN_30) +
    0.24 * x2 +
    0.32 * (x3 * COS_6 - y3 * SIN_6) -
    0.2 * (x4 * COS_63 + y4 * SIN_63)
  const turned = a1 * b2 - a2 * b1
  const apart = Math.sqrt(Math.max(0, 2 * (c1 * c2 - a1 * a2 - b1 * b2)))
  const hues = (turned < 0 ? -apart : apart) / (1 + 0.015 * chroma * weight)
  // Far from blue the rotation is below 1e-6.
  const rotation = y < 0.5 && chroma > 1 ? rotate(x, y, chroma) : 0
  return Math.sqrt(Math.max(0, grey + hues * hues + rotation * chromas * hues))
}

/** The term that turns the ellipses of equal difference around blue. */
function rotate(x: number, y: number, chroma: number): number {
  const degrees = (Math.atan2(y, x) * 180) / Math.PI
  const fromBlue = ((degrees < 0 ? degrees + 360 : degrees) - 275) / 25
  return -2 * saturation(chroma) * Math.sin((Math.PI / 3) * Math.exp(-fromBlue * fromBlue))
}

/**
 * The greatest difference of lightness at which two colours can be as near as this: CIEDE2000 divides it by at most 1.747.
 */
export const lightnessReach = (deltaE: number): number => deltaE * 1.75
