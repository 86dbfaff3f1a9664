import { el } from '../dom.ts'
import type { Answer, Box } from '../shapes.ts'
import type { Texts } from './texts.ts'

/** The proposals of the service after a search: parts of the picture, its likely categories, and words. */

export const SHOWN_MAX = 5

export const buildChip = (
  isPressed: boolean,
  click: () => void,
  ...content: (Node | string)[]
): HTMLButtonElement =>
  el(
    'button',
    { type: 'button', class: 'chip', part: 'chip', 'aria-pressed': String(isPressed), click },
    ...content,
  )

const boxes = new WeakMap<Element, Box>()

/** Builds a button for the whole picture and one for each part; nothing without parts. */
export function buildRegions(
  { regions = [] }: Answer,
  texts: Texts,
  choose: (box: Box | undefined) => void,
): HTMLButtonElement[] {
  if (regions.length === 0) return []
  const parts = regions.slice(0, SHOWN_MAX).map(({ box, category }, n) => {
    const text = texts.region.replace('{n}', String(n + 1)) + (category ? `: ${category}` : '')
    const chip = buildChip(false, () => choose(box), text)
    boxes.set(chip, box)
    return chip
  })
  return [buildChip(true, () => choose(undefined), texts.whole), ...parts]
}

/** The buttons of parts with their boxes; that of the whole picture has none. */
export const listParts = (regions: Element): { chip: HTMLElement; box: Box }[] =>
  [...regions.children].flatMap((chip) => {
    const box = boxes.get(chip)
    return box && chip instanceof HTMLElement ? [{ chip, box }] : []
  })

/** Marks the button whose part of the picture is searched for; a frame of the shopper's own has none. */
export function pressRegion(regions: Element, box: Box | undefined): void {
  for (const chip of regions.children) chip.setAttribute('aria-pressed', String(boxes.get(chip) === box))
}

/** A category or a word that narrows the search. */
export interface Proposal {
  name: string
  /** It narrows the search already: a second tap takes it away. */
  isChosen: boolean
  choose(): void
}

/** Builds a button for each of what the picture may show. */
export const buildProposals = (proposals: readonly Proposal[], texts: Texts): HTMLElement[] =>
  proposals.length === 0
    ? []
    : [
        el('span', { class: 'hint' }, texts.looksLike),
        ...proposals.map(({ name, isChosen, choose }) =>
          buildChip(isChosen, choose, name, el('span', { class: 'x', 'aria-hidden': 'true' })),
        ),
      ]
