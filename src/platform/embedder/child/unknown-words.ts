/** The share of a text's words that the model does not know, 0 to 1; 0 for a text without any sign. */
export type UnknownWords = (text: string) => Promise<number>

interface Parts {
  /** Computes vectors of texts of one length, start and end tokens included. */
  embed(texts: readonly { ids: bigint[]; isTruncated: boolean }[]): Promise<Float32Array[]>
  /** The tokens of a text as spelt in the vocabulary, without start and end tokens. */
  spell(text: string): string[]
  /** The same tokens as ids, with start and end tokens. */
  toIds(text: string): bigint[]
}

/** Sample of CLIP's vocabulary in which to find the embedding that unknown tokens share. */
const PROBES = Array.from({ length: 32 }, (_, i) => BigInt(1000 + i * 1500))
/** Number of equal vectors among the probes that cannot be a coincidence. */
const TWINS_MIN = 8
const WORD_END = '</w>'

/**
 * Creates a measure of a text's unknown words. It first finds out whether the model gives every token without training
 * text the same embedding. Such tokens, alone between start and end, have bit-identical vectors within one inference.
 * For a model without such an embedding no word is unknown.
 *
 * A word is known when none of its tokens is unknown and none is a single letter. Letters occurred in training, but a
 * word that must be spelt letter by letter did not. Single letters, digits and punctuation are no words; a text of nothing else is
 * unknown as a whole.
 */
export async function createUnknownWords({ embed, spell, toIds }: Parts): Promise<UnknownWords> {
  const [start, end] = toIds('')
  if (start === undefined || end === undefined) return async () => 0
  const wrapToken = (id: bigint) => ({ ids: [start, id, end], isTruncated: false })
  const unknownId = await findSharedToken(PROBES, (ids) => embed(ids.map(wrapToken)))
  if (unknownId === undefined) return async () => 0

  /** By token id; never larger than the vocabulary. */
  const isKnown = new Map<bigint, boolean>()
  const learn = async (ids: readonly bigint[]) => {
    const fresh = [...new Set(ids)].filter((id) => !isKnown.has(id))
    if (fresh.length === 0) return
    const [unknown, ...vectors] = await embed([unknownId, ...fresh].map(wrapToken))
    for (const [i, id] of fresh.entries()) isKnown.set(id, !isEqual(unknown, vectors[i]))
  }

  return async (text) => {
    const spelt = spell(text).slice(0, TOKENS_MAX)
    const ids = toIds(text).slice(1, -1)
    if (spelt.length === 0) return 0
    await learn(ids)
    let [words, unknown] = [0, 0]
    let word = { text: '', isKnown: true }
    for (const [i, token] of spelt.entries()) {
      const id = ids[i]
      // Tokens after the model's window do not count.
      if (id === undefined) break
      const part = token.replace(WORD_END, '')
      word.text += part
      word.isKnown &&= isKnown.get(id) === true && /[a-z].*[a-z]/i.test(part)
      if (!token.endsWith(WORD_END)) continue
      if (/\p{L}/u.test(word.text) && word.text.length > 1) {
        words++
        if (!word.isKnown) unknown++
      }
      word = { text: '', isKnown: true }
    }
    return words === 0 ? 1 : unknown / words
  }
}

/** Longer than the window of any CLIP model. */
const TOKENS_MAX = 512

/** @returns a token from the group with equal vectors, if there is one. */
async function findSharedToken(
  ids: readonly bigint[],
  embed: (ids: readonly bigint[]) => Promise<Float32Array[]>,
): Promise<bigint | undefined> {
  const vectors = await embed(ids)
  return ids.find((_, i) => vectors.filter((vector) => isEqual(vector, vectors[i])).length >= TWINS_MIN)
}

const isEqual = (a: Float32Array | undefined, b: Float32Array | undefined): boolean =>
  a !== undefined && b !== undefined && a.every((value, i) => value === b[i])
