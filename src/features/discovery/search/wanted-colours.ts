import { isNamed } from '../../../core/colours/colours.ts'
import { type Lab, toLab } from '../../../core/colours/lab.ts'
import { typicalOf } from '../../../core/colours/shades.ts'
import { findSpokenColours, type SpokenColour } from '../../../core/colours/spoken.ts'
import type { FinalMap } from '../../../platform/embedder/embedder.ts'
import { RANKING } from './parameters.ts'
import { bend } from './score.ts'
import type { SearchedStore } from './searched-store.ts'
import type { QueryWords } from './sides.ts'

/*
 * Colours that a search asks for beside a picture or words: picked by hand, or named by the words. A product loses by what it
 * lacks of them, and nothing gains, so no colour lifts a product over a threshold. The loss counts in full for products
 * that are what the search is for, and less the less probable that is: a black mug is no answer to "yellow mug", but a nearer
 * one than a yellow lamp. Values are bent before, as scores are (see `bend`): of two mugs one may match the words a
 * little better, and that must not outweigh the colour.
 */

export interface WantedColours {
  picked: readonly Lab[]
  spoken: readonly SpokenColour[]
  /** Log-odds that a product loses which shows none of the spoken colours. */
  spokenLoss: number
  /** Whether the words of products must not count. */
  isByPicturesOnly: boolean
}

/** The colours that the words of a query name. */
export const coloursOf = ({ text, isByModelOnly }: QueryWords, { columns }: SearchedStore): SpokenColour[] =>
  findSpokenColours(text, isByModelOnly ? () => false : columns.hasColour)

/** What products lack of the wanted colours, in the unit of values. Valid for one tick. */
export interface ColourLoss {
  /** Takes the losses from values. @param slotAt the slot of a place; undefined where the places are all slots. */
  apply(values: Float32Array, slotAt?: (place: number) => number): void
}

/** @param map of the values; bends them, too. @returns undefined where no colour is wanted. */
export function colourLoss(store: SearchedStore, wanted: WantedColours, map: FinalMap): ColourLoss {
  const losses = listLosses(store, wanted)
  const { slope, midpoint } = map
  return {
    apply(values, slotAt) {
      for (let place = 0; place < values.length; place++) {
        const value = bend(values[place] as number, map)
        const lost = losses[slotAt ? slotAt(place) : place] as number
        const chance = 1 / (1 + Math.exp(slope * (midpoint - value)))
        values[place] = value - (lost * chance) / slope
      }
    },
  }
}

/** The log-odds that each slot loses at most. */
function listLosses(store: SearchedStore, wanted: WantedColours): Float32Array {
  const { palettes, segment } = store
  const { picked, spoken, spokenLoss } = wanted
  const losses = new Float32Array(segment.slots)
  const lose = (shares: Float32Array, loss: number) => {
    for (let slot = 0; slot < losses.length; slot++)
      losses[slot] = (losses[slot] as number) + loss * (1 - (shares[slot] as number))
  }
  if (picked.length > 0) lose(palettes.score(picked, segment.slots, RANKING.colourEnough), RANKING.palette)
  for (const colour of spoken) lose(measureColour(store, colour, wanted), spokenLoss / spoken.length)
  for (let slot = 0; slot < losses.length; slot++) losses[slot] = Math.min(LOSS_MAX, losses[slot] as number)
  return losses
}

/** From 4 log-odds on, a loss that counts by probability would turn the order of two products around. */
const LOSS_MAX = 3.5

/**
 * How far the product in each slot has a spoken colour, 0 to 1: as its picture shows it, or wholly where its words have the colour's
 * word, or its colour name means the colour. So a name wins where the word is no colour: "Orange juice" loses nothing
 * for "orange juice".
 */
function measureColour(
  store: SearchedStore,
  { word, shade }: SpokenColour,
  { isByPicturesOnly }: WantedColours,
): Float32Array {
  const { columns, palettes, segment, words } = store
  const shares = palettes.scoreShade(shade, segment.slots, RANKING.colourEnough)
  if (isByPicturesOnly) return shares
  const { numbers, named } = columns.readColours()
  const query = { kind: 'name' as const, shades: [shade], lab: toLab(typicalOf(shade)) }
  /** By the number of the colour name: 1 where it means the colour, otherwise how much the picture counts. */
  const isMeant = Uint8Array.from(named, (name) => (isNamed(name, query) ? 1 : 0))
  const factors = Float32Array.from(named, ({ bits }) => (bits.length === 0 ? 1 : RANKING.colourMisnamed))
  const isHolder = new Uint8Array(words.lastDocument() + 1)
  words.visitHolders(word, (document) => {
    isHolder[document] = 1
  })
  const documents = columns.documents()
  for (let slot = 0; slot < shares.length; slot++) {
    const name = numbers[slot] as number
    const has = isMeant[name] === 1 || isHolder[documents[slot] as number] === 1
    shares[slot] = has ? 1 : (factors[name] as number) * (shares[slot] as number)
  }
  return shares
}
