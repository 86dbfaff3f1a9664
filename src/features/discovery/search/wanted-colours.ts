import { isNamed, type NamedColours } from '../../../core/colours/colours.ts'
import { type Lab, toLab } from '../../../core/colours/lab.ts'
import { typicalOf } from '../../../core/colours/shades.ts'
import { findSpokenColours, type SpokenColour } from '../../../core/colours/spoken.ts'
import type { FinalMap } from '../../../platform/embedder/embedder.ts'
import type { WordQuery } from '../../catalogue/product-index/words/asked.ts'
import type { Loss } from './lowering.ts'
import { RANKING } from './parameters.ts'
import { bend, unbend } from './score.ts'
import type { SearchedStore } from './searched-store.ts'
import { type QueryWords, readWordsOf } from './sides.ts'

/*
 * Colours that a search asks for beside a picture or words: picked by hand, or named by the words. A product loses by what it
 * lacks of them, and nothing gains, so no colour lifts a product over a threshold. The loss counts in full for products
 * that are surely what the search is for, and less the less probable that is: a black mug is no answer to "yellow mug", but a nearer
 * one than a yellow lamp. Values are bent before, as scores are (see `bend`): of two mugs one may match the words a
 * little better, and that must not outweigh the colour.
 */

export interface WantedColours {
  picked: readonly Lab[]
  spoken: readonly SpokenColour[]
  /** The query that names them; empty without words. */
  query: WordQuery
  /** Log-odds that a product loses which shows none of the spoken colours. */
  spokenLoss: number
  /** Whether the words of products must not count. */
  isByPicturesOnly: boolean
}

/** The colours that the words of a query name. */
export const coloursOf = (
  { isByModelOnly, foreignColours, ...query }: QueryWords,
  { columns }: SearchedStore,
): SpokenColour[] =>
  findSpokenColours(readWordsOf(query).text, isByModelOnly ? () => false : columns.hasColour, foreignColours)

/** What products lack of the wanted colours. @param map of the values; its knee bends them. */
export function colourLoss(store: SearchedStore, wanted: WantedColours, map: FinalMap): Loss {
  const lossOf = remember(measureLoss(store, wanted))
  const { slope, midpoint } = map
  return {
    leg: 'color',
    beforeLoss: (value) => unbend(value, map),
    lower(values, slots) {
      for (let n = 0; n < values.length; n++) {
        const value = bend(values[n] as number, map)
        const odds = slope * (value - midpoint)
        // The colours of what is far behind need not be looked at.
        const part = Math.min(1, (odds + CERTAIN) / (2 * CERTAIN))
        values[n] = part > 0 ? value - (part * lossOf(slots[n] as number)) / slope : value
      }
    },
  }
}

/** Log-odds from which on a loss counts in full; below their negative it counts nothing, and between them by how far it is. */
const CERTAIN = 2
/** From twice {@link CERTAIN} on, a loss would turn the order of two products around. */
const LOSS_MAX = 3.5

type Meter = (slot: number) => number

let ownNumbers = new Float32Array(0)
let ownRounds = new Uint32Array(0)
let round = 0

/** Measures each slot once: the voters' list and the answer's ask for the same ones. All measures remember in the same memory. */
function remember(meter: Meter): Meter {
  const own = ++round
  return (slot) => {
    if (slot >= ownRounds.length) growMemory(slot)
    if (ownRounds[slot] === own) return ownNumbers[slot] as number
    const number = meter(slot)
    ownRounds[slot] = own
    ownNumbers[slot] = number
    return number
  }
}

function growMemory(slot: number): void {
  const slots = Math.ceil((slot + 1) * 1.25)
  const [numbers, rounds] = [new Float32Array(slots), new Uint32Array(slots)]
  numbers.set(ownNumbers)
  rounds.set(ownRounds)
  ownNumbers = numbers
  ownRounds = rounds
}

/** The log-odds that the product in a slot loses at most. */
function measureLoss(store: SearchedStore, wanted: WantedColours): Meter {
  const { picked, spoken, spokenLoss } = wanted
  const meters: { of: Meter; loss: number }[] = spoken.map((colour) => ({
    of: spokenMeter(store, colour, wanted),
    loss: spokenLoss / spoken.length,
  }))
  if (picked.length > 0)
    meters.push({ of: store.palettes.meter(picked, RANKING.colourEnough), loss: RANKING.palette })
  return (slot) => {
    let sum = 0
    for (let n = 0; n < meters.length; n++) {
      const { of, loss } = meters[n] as (typeof meters)[number]
      sum += loss * (1 - of(slot))
    }
    return Math.min(LOSS_MAX, sum)
  }
}

/**
 * How far the product in a slot has a spoken colour, 0 to 1: as its picture shows it, or wholly where its words have the
 * colour's word, or its colour name means the colour, or the query is its id, number or name. So a name wins where the word is
 * no colour: "Orange juice" loses nothing for "orange juice".
 */
function spokenMeter(
  { columns, palettes, words }: SearchedStore,
  { word, shade }: SpokenColour,
  { query: asked, isByPicturesOnly }: WantedColours,
): Meter {
  const shown = palettes.shadeMeter(shade, RANKING.colourEnough)
  if (isByPicturesOnly) return shown
  const { numbers, named } = columns.readColours()
  const query = { kind: 'name' as const, shades: [shade], lab: toLab(typicalOf(shade)) }
  /** How much the picture counts beside the colour name of a number; undefined where the name means the colour. */
  const known = new Map<number, number | undefined>()
  const readName = (number: number): number | undefined => {
    const name = named[number] as NamedColours
    const counts = isNamed(name, query) ? undefined : name.bits.length === 0 ? 1 : RANKING.colourMisnamed
    known.set(number, counts)
    return counts
  }
  const holds = words.holderTest(word)
  const exact = new Set(words.findExact(asked))
  return (slot) => {
    const number = numbers[slot] as number
    const counts = known.has(number) ? known.get(number) : readName(number)
    if (counts === undefined) return 1
    const document = columns.documentAt(slot)
    return holds(document) || exact.has(document) ? 1 : counts * shown(slot)
  }
}
