import { describeColour, parseColour } from '../../../core/colours/colours.ts'
import { parseHex, toLab } from '../../../core/colours/lab.ts'
import { type Shade, typicalOf } from '../../../core/colours/shades.ts'
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
/** Pictures in one step: the first ones fill what is known of the colours, which takes most of the time. */
const STEP = 16
/** Products that are looked up in one statement. */
const FACES_AT_ONCE = 100
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
  const names = createNames(palettes)
  const judgedNames = new Map<number, JudgedName>()
  const { words } = columns.readFields().color_name
  for (const label of columns.listColors().slice(0, NAMES_MAX)) {
    const number = words.findFolded(label)
    const shows = number === undefined ? undefined : names.read(label)
    if (number !== undefined && shows) judgedNames.set(number, { shows, total: 0, lacking: [] })
    await breathe()
  }
  for (let slot = 0; slot < segment.slots; slot++) {
    if (slot % STEP === STEP - 1) await breathe()
    if (!columns.isFirst(slot)) continue
    const judged = judgedNames.get(columns.readColours().numbers[slot] as number)
    if (judged === undefined) continue
    judged.total++
    if (!judged.shows(slot) && judged.lacking.length < CANDIDATES_MAX)
      judged.lacking.push(columns.productAt(slot))
  }
  for (const { total, lacking } of judgedNames.values()) {
    if (total < PRODUCTS_MIN || 1 - lacking.length / total < SHOWING_MIN) continue
    for (let start = 0; start < lacking.length; start += FACES_AT_ONCE) {
      for (const face of queries.listFaces(lacking.slice(start, start + FACES_AT_ONCE))) {
        if (!face || shared.has(face.productId)) continue
        const [main] = JSON.parse(face.palette) as { hex: string }[]
        const rgb = main && parseHex(main.hex)
        if (rgb === undefined) continue
        add(face.productId, { color_name: face.color ?? '', shows: describeColour(rgb) })
      }
      await breathe()
    }
  }
  return found
}

interface JudgedName {
  /** Whether the picture in a slot shows the colour. */
  shows(slot: number): boolean
  total: number
  /** Rows of the products that do not show it. */
  lacking: number[]
}

/** Reads names of colours. Many names mean one shade, and what is known of a shade takes some 80 KB. */
function createNames(palettes: IndexedStore['palettes']) {
  const known = new Map<string, JudgedName['shows']>()
  return {
    /** @returns undefined for a name that means no shade, or several. */
    read(name: string): JudgedName['shows'] | undefined {
      const query = parseColour(name)
      const [shade, ...others] = query?.kind === 'name' ? query.shades : []
      if (shade === undefined || others.length > 0) return undefined
      const key = `${shade.base} ${shade.tone ?? ''}`
      const shows = known.get(key) ?? testOf(shade)
      known.set(key, shows)
      return shows
    },
  }

  function testOf(shade: Shade): JudgedName['shows'] {
    // A light or dark one may look so, or not; of another colour it must not be.
    const base = { base: shade.base }
    const near = [base, shade].map((one) => toLab(typicalOf(one)))
    const meters = [palettes.shadeMeter(base, ENOUGH), ...near.map((lab) => palettes.meter([lab], ENOUGH))]
    return (slot) => meters.some((meter) => meter(slot) > 0)
  }
}
