import { isNamed, type NamedColours } from '../../../core/colours/colours.ts'
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
 * that are surely what the search is for, and less the less probable that is: a black mug is no answer to "yellow mug", but a nearer
 * one than a yellow lamp. Values are bent before, as scores are (see `bend`): of two mugs one may match the words a
 * little better, and that must not outweigh the colour.
 */

export interface WantedColours {
  picked: readonly Lab[]
  spoken: readonly SpokenColour[]
  /** The query that names them; empty without words. */
  text: string
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
  /** Takes the losses from values. @param slotAt the slot of a place. */
  lower(values: Float32Array, slotAt: (place: number) => number): void
}

/** @param map of the values; its knee bends them. */
export function colourLoss(store: SearchedStore, wanted: WantedColours, map: FinalMap): ColourLoss {
  const lossOf = measureLoss(store, wanted)
  const { slope, midpoint } = map
  return {
    lower(values, slotAt) {
      for (let place = 0; place < values.length; place++) {
        const value = bend(values[place] as number, map)
        const odds = slope * (value - midpoint)
        // Most are far behind, and their colours need not be looked at.
        if (odds <= -CERTAIN) continue
        const part = Math.min(1, (odds + CERTAIN) / (2 * CERTAIN))
        values[place] = value - (part * lossOf(slotAt(place))) / slope
      }
    },
  }
}

/** Log-odds from which on a loss counts in full; below their negative it counts nothing, and between them by how far it is. */
const CERTAIN = 2
/** From twice {@link CERTAIN} on, a loss would turn the order of two products around. */
const LOSS_MAX = 3.5

type Meter = (slot: number) => number

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
    for (const { of, loss } of meters) sum += loss * (1 - of(slot))
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
  { text, isByPicturesOnly }: WantedColours,
): Meter {
  const shown = palettes.shadeMeter(shade, RANKING.colourEnough)
  if (isByPicturesOnly) return shown
  const { numbers, named } = columns.readColours()
  const query = { kind: 'name' as const, shades: [shade], lab: toLab(typicalOf(shade)) }
  /** By the number of the colour name, once it was asked for: what it says, see below. */
  const known = new Uint8Array(named.length)
  const [means, silent, other] = [1, 2, 3]
  const readName = (number: number): number => {
    const name = named[number] as NamedColours
    known[number] = isNamed(name, query) ? means : name.bits.length === 0 ? silent : other
    return known[number] as number
  }
  const isHolder = new Uint8Array(words.lastDocument() + 1)
  words.visitHolders(word, (document) => {
    isHolder[document] = 1
  })
  for (const document of words.findExact(text)) isHolder[document] = 1
  const documents = columns.documents()
  return (slot) => {
    if (isHolder[documents[slot] as number] === 1) return 1
    const number = numbers[slot] as number
    const name = known[number] || readName(number)
    return name === means ? 1 : (name === silent ? 1 : RANKING.colourMisnamed) * shown(slot)
  }
}
