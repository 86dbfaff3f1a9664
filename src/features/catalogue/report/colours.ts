import { describeColour, parseColour } from '../../../core/colours/colours.ts'
import { parseHex, toLab } from '../../../core/colours/lab.ts'
import { typicalOf } from '../../../core/colours/shades.ts'
import type { IndexedStore } from '../product-index/product-index.ts'
import { type Breathe, createFound, type Found } from './found.ts'
import type { ReportQueries } from './queries.ts'

/** Colour names of a store that are judged. */
const NAMES_MAX = 200
/** Products of a colour name that tell whether pictures show it. */
const PRODUCTS_MIN = 12
/** The least share of a colour's products that show it. */
const SHOWING_MIN = 0.85
/** Of that much of a picture a colour counts in full. */
const ENOUGH = 0.1
const STEP = 2_048
const CANDIDATES_MAX = 10_000

/**
 * Finds products whose picture shows nothing of their colour. Only colours that nearly all of the store's other products of
 * that colour show are judged, so names such as "natural" and pictures of models in a room say nothing.
 */
export async function findWrongColours(
  queries: Pick<ReportQueries, 'listFaces'>,
  { segment, columns, palettes }: Pick<IndexedStore, 'segment' | 'columns' | 'palettes'>,
  shared: ReadonlySet<string>,
  breathe: Breathe,
): Promise<Found> {
  const { found, add } = createFound('color_mismatch')
  const meters = new Map<number, { meters: ((slot: number) => number)[]; total: number; lacking: number[] }>()
  for (const label of columns.listColors().slice(0, NAMES_MAX)) {
    const query = parseColour(label)
    const number = columns.readFields().color_name.words.findFolded(label)
    const [shade] = query?.kind === 'name' && query.shades.length === 1 ? query.shades : []
    if (shade === undefined || number === undefined) continue
    // A light or dark one may look so, or not; of another colour it must not be.
    const base = { base: shade.base }
    const near = [base, shade].map((one) => toLab(typicalOf(one)))
    const own = [palettes.shadeMeter(base, ENOUGH), ...near.map((lab) => palettes.meter([lab], ENOUGH))]
    meters.set(number, { meters: own, total: 0, lacking: [] })
  }
  for (let slot = 0; slot < segment.slots; slot++) {
    if (slot % STEP === STEP - 1) await breathe()
    if (!columns.isFirst(slot)) continue
    const judged = meters.get(columns.readColours().numbers[slot] as number)
    if (judged === undefined) continue
    judged.total++
    const shown = Math.max(...judged.meters.map((meter) => meter(slot)))
    if (shown === 0 && judged.lacking.length < CANDIDATES_MAX) judged.lacking.push(columns.productAt(slot))
  }
  for (const { total, lacking } of meters.values()) {
    if (total < PRODUCTS_MIN || 1 - lacking.length / total < SHOWING_MIN) continue
    for (const face of queries.listFaces(lacking)) {
      if (!face || shared.has(face.productId)) continue
      const [main] = JSON.parse(face.palette) as { hex: string }[]
      const rgb = main && parseHex(main.hex)
      if (rgb === undefined) continue
      add(face.productId, { color_name: face.color ?? '', shows: describeColour(rgb) })
    }
    await breathe()
  }
  return found
}
