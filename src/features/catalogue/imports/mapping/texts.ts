import {
  decodeEntities,
  HIDDEN_ELEMENTS,
  IMPORT_ENTITIES,
  removeElement,
  removeTags,
} from '../../../../core/html-text.ts'

/** The longest description that is kept; a search needs its words, and a card one or two lines. */
const DESCRIPTION_CHARS_MAX = 500

/** The longest beginning of a description that is read: what stands before its words is layout. */
const READ_CHARS_MAX = 64 * 1024

/** Decodes the entities of a cell: `&amp;` is `&`. */
export const decodeCell = (cell: string): string => decodeEntities(cell, IMPORT_ENTITIES)

/** Reads a name. Tags go twice, because some shops write them as entities. */
export const readText = (cell: string): string => removeTags(decodeCell(removeTags(cell)))

/**
 * Reads a description as plain text: without HTML, scripts and styles, without the short codes and the written-out line
 * ends of WooCommerce, at most 500 characters and cut behind a word.
 */
export function readDescription(cell: string): string | undefined {
  const shown = HIDDEN_ELEMENTS.reduce(removeElement, cell.slice(0, READ_CHARS_MAX))
    .replace(/\\[nrt]/g, ' ')
    .replace(/\[\/?[a-z][a-z0-9_-]*(?:\s[^[\]]*)?\]/gi, ' ')
  const text = cutText(readText(shown), DESCRIPTION_CHARS_MAX)
  return text === '' ? undefined : text
}

/** Cuts a text to `max` characters, behind a word if one ends near there. */
export function cutText(text: string, max: number): string {
  if (text.length <= max) return text
  const characters = Array.from(text.slice(0, 2 * max))
  if (characters.length <= max && text.length <= 2 * max) return text
  const cut = characters.slice(0, max - 1).join('')
  const blank = cut.lastIndexOf(' ')
  return `${(blank > (max * 3) / 4 ? cut.slice(0, blank) : cut).trimEnd()}…`
}
