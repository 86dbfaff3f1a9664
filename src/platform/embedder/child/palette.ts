import {
  convertRgbToLab65,
  differenceEuclidean,
  formatHex,
  type Lab65,
  modeLab65,
  type Rgb,
  useMode,
} from 'culori/fn'
import type { Background, Grid } from './background.ts'

const COLOURS_MAX = 5
/** Colours closer than this (CIE76) count as one; it is about the distance between two neighbouring colour names. */
const SAME_COLOUR = 20
useMode(modeLab65)
const distance = differenceEuclidean('lab65')
/** A colour with a smaller share is noise, such as the soft edge of a cut-out. */
const SHARE_MIN = 0.02
/** Number of the fullest bins that are clustered; in photographs they hold nine tenths of the pixels. */
const BINS_MAX = 96
/** On a plain background, a smaller share of subject means that the product itself has the background's colour. */
const SUBJECT_MIN = 0.05
/** How much more than at the edge a cell counts in the middle of a row or column, where there is no plain background. */
const CENTRE_GAIN = 3

/**
 * Finds up to five main colours, the subject's before the background's. A plain background does not count, unless the subject has its
 * colour. In other pictures a cell counts the more the nearer it is to the centre, up to sixteen times as much as in a corner.
 *
 * @returns largest share first. Shares are of what counts, so they sum to at most 1.
 */
export function palette(grid: Grid, background: Background | undefined): { hex: string; share: number }[] {
  const isSubjectSeen =
    background !== undefined && background.subjectCells >= background.subject.length * SUBJECT_MIN
  const bins = isSubjectSeen ? binSubject(grid, background) : binCells(grid, background ? 0 : CENTRE_GAIN)
  const clusters = clusterBins(bins)
  let total = bins.reduce((sum, bin) => sum + bin.count, 0)
  const [main] = clusters
  if (isSubjectSeen && main && hidesInBackground(main, total, background)) {
    const count = background.boxCells - background.subjectCells
    cluster(
      { red: background.red * count, green: background.green * count, blue: background.blue * count, count },
      clusters,
    )
    total += count
  }
  return clusters
    .sort((a, b) => b.count - a.count)
    .map((colour) => ({
      hex: formatHex(computeMean(colour)),
      share: Math.round((colour.count / total) * 1000) / 1000,
    }))
    .filter(({ share }, n) => share >= SHARE_MIN || n === 0)
    .slice(0, COLOURS_MAX)
}

interface Bin {
  red: number
  green: number
  blue: number
  count: number
}
interface Cluster extends Bin {
  lab: Lab65
}

/** Sums of red, green, blue and weight for each bin of 4 bits per channel. */
const createSums = () => new Uint32Array(4096 * 4)

function addCell(sums: Uint32Array, data: Uint8Array, at: number, weight: number): void {
  const red = data[at] ?? 0
  const green = data[at + 1] ?? 0
  const blue = data[at + 2] ?? 0
  const bin = (((red >> 4) << 8) | ((green >> 4) << 4) | (blue >> 4)) * 4
  sums[bin] = (sums[bin] ?? 0) + red * weight
  sums[bin + 1] = (sums[bin + 1] ?? 0) + green * weight
  sums[bin + 2] = (sums[bin + 2] ?? 0) + blue * weight
  sums[bin + 3] = (sums[bin + 3] ?? 0) + weight
}

function binSubject({ data }: Grid, { subject }: Background): Bin[] {
  const sums = createSums()
  for (let cell = 0; cell < subject.length; cell++) {
    if (subject[cell] === 1) addCell(sums, data, cell * 3, 1)
  }
  return listBins(sums)
}

/** @param gain see {@link CENTRE_GAIN}; 0 counts all cells alike. */
function binCells({ columns, rows, data }: Grid, gain: number): Bin[] {
  const sums = createSums()
  const ofColumns = weighAlong(columns, gain)
  const ofRows = weighAlong(rows, gain)
  for (let y = 0, at = 0; y < rows; y++) {
    const ofRow = ofRows[y] ?? 1
    for (let x = 0; x < columns; x++, at += 3) addCell(sums, data, at, ofRow * (ofColumns[x] ?? 1))
  }
  return listBins(sums)
}

/** Whole weights from 1 at both ends to `1 + gain` in the middle. */
const weighAlong = (cells: number, gain: number): Uint8Array =>
  Uint8Array.from({ length: cells }, (_, n) => 1 + Math.round(gain * (1 - Math.abs((2 * n + 1) / cells - 1))))

/** Fullest first. */
function listBins(sums: Uint32Array): Bin[] {
  const bins: Bin[] = []
  for (let at = 0; at < sums.length; at += 4) {
    const count = sums[at + 3] ?? 0
    if (count > 0) bins.push({ red: sums[at] ?? 0, green: sums[at + 1] ?? 0, blue: sums[at + 2] ?? 0, count })
  }
  return bins.sort((a, b) => b.count - a.count)
}

/** Largest first. */
function clusterBins(bins: readonly Bin[]): Cluster[] {
  const clusters: Cluster[] = []
  for (const bin of bins.slice(0, BINS_MAX)) cluster(bin, clusters)
  return clusters.sort((a, b) => b.count - a.count)
}

function cluster(bin: Bin, clusters: Cluster[]): void {
  const lab = convertRgbToLab65(computeMean(bin))
  const near = clusters.find((other) => distance(other.lab, lab) < SAME_COLOUR)
  if (near) {
    near.red += bin.red
    near.green += bin.green
    near.blue += bin.blue
    near.count += bin.count
  } else if (clusters.length < 16) {
    clusters.push({ ...bin, lab })
  }
}

/**
 * Whether the subject has the background's colour and only its shades stand out, like a white shirt on white: its box is mostly
 * background, and what is not is mostly a shade of the background.
 */
function hidesInBackground(
  main: Cluster,
  total: number,
  { red, green, blue, ...background }: Background,
): boolean {
  if (main.count < total * HIDDEN.share || background.subjectCells > background.boxCells * HIDDEN.filled)
    return false
  const lab = convertRgbToLab65(computeMean({ red, green, blue, count: 1 }))
  const isShade = Math.abs(main.lab.l - lab.l) <= HIDDEN.lightness
  return isShade && Math.hypot(main.lab.a - lab.a, main.lab.b - lab.b) <= HIDDEN.chroma
}

/** Shares of the subject and of its box, and distances in CIE Lab. */
const HIDDEN = { share: 0.5, filled: 0.6, lightness: 30, chroma: 10 }

/** The mean colour of a bin, rounded to 8 bits a channel. */
const computeMean = ({ red, green, blue, count }: Bin): Rgb => ({
  mode: 'rgb',
  r: Math.round(red / count) / 255,
  g: Math.round(green / count) / 255,
  b: Math.round(blue / count) / 255,
})
