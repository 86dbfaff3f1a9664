import { fold } from '../../../core/text.ts'

/** A part of a name or of an id that products are looked for by. */
export interface Words {
  /** In a name: without case and accents. */
  inName: string
  /** In an id: without the case of A to Z. */
  inId: string
  /**
   * An expression of FTS5 that finds every product that has one of both, and others besides. Undefined where one of
   * them has fewer than three characters: then only looking at each product tells.
   */
  candidates: string | undefined
}

/** More do not make the candidates fewer by much, and each costs a pass over its products. */
const TRIGRAMS_MAX = 12

/** @returns undefined for a text that is part of every name, such as spaces. */
export function toWords(text: string): Words | undefined {
  const inName = fold(text)
  if (inName === '') return undefined
  const inId = text.trim().replace(/[A-Z]+/g, (capitals) => capitals.toLowerCase())
  const ofName = toExpression(inName)
  const ofId = inId === inName ? ofName : toExpression(inId)
  const candidates = ofName && ofId && (ofName === ofId ? ofName : `(${ofName}) OR (${ofId})`)
  return { inName, inId, candidates }
}

/** Asks for some of the text's trigrams, spread over all of it. */
function toExpression(text: string): string | undefined {
  const characters = Array.from(text)
  // The tokenizer leaves U+0000 out, and so finds other trigrams around it.
  if (characters.length < 3 || text.includes('\0')) return undefined
  const last = characters.length - 3
  const count = Math.min(last + 1, TRIGRAMS_MAX)
  const trigrams = Array.from({ length: count }, (_, n) => {
    const start = count === 1 ? 0 : Math.round((n * last) / (count - 1))
    return characters.slice(start, start + 3).join('')
  })
  return [...new Set(trigrams)].map((trigram) => `"${trigram.replaceAll('"', '""')}"`).join(' AND ')
}
