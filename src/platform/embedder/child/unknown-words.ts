/** Tells of a text whether the model knows none of its words. */
export type UnknownWords = (text: string) => Promise<boolean>

interface Parts {
  /** Vectors of texts of one length, begin and end tokens included. */
  embed(texts: readonly { ids: bigint[]; isTruncated: boolean }[]): Promise<Float32Array[]>
  /** The tokens of a text as written in the vocabulary, begin and end left out. */
  spell(text: string): string[]
  /** The same tokens as numbers, with begin and end. */
  idsOf(text: string): bigint[]
}

/** Tokens looked at to find the row that unknown ones share, spread over the vocabulary of CLIP. */
const PROBES = Array.from({ length: 32 }, (_, i) => BigInt(1000 + i * 1500))
/** Equal vectors among the probes that cannot be chance. */
const TWINS_MIN = 8
const WORD_END = '</w>'

/**
 * Finds out whether a model gives one and the same embedding to every token that no training text held: such tokens,
 * alone between begin and end, have equal vectors to the last bit within one inference. Without such a row nothing is
 * ever called unknown.
 *
 * A word counts as known when none of its tokens is unknown and none is a single letter: letters occurred in
 * training, but a word that had to be spelt out of them did not. Digits and punctuation are no words.
 */
export async function unknownWords({ embed, spell, idsOf }: Parts): Promise<UnknownWords> {
  const [begin, end] = idsOf('')
  if (begin === undefined || end === undefined) return async () => false
  const alone = (id: bigint) => ({ ids: [begin, id, end], isTruncated: false })
  const stranger = await sharedToken(PROBES, (ids) => embed(ids.map(alone)))
  if (stranger === undefined) return async () => false

  /** By token; at most as long as the vocabulary. */
  const isKnown = new Map<bigint, boolean>()
  const learn = async (ids: readonly bigint[]) => {
    const fresh = [...new Set(ids)].filter((id) => !isKnown.has(id))
    if (fresh.length === 0) return
    const [unknown, ...vectors] = await embed([stranger, ...fresh].map(alone))
    for (const [i, id] of fresh.entries()) isKnown.set(id, !isEqual(unknown, vectors[i]))
  }

  return async (text) => {
    const spelt = spell(text).slice(0, TOKENS_MAX)
    const ids = idsOf(text).slice(1, -1)
    if (spelt.length === 0) return false
    await learn(ids)
    let isWordKnown = true
    for (const [i, token] of spelt.entries()) {
      const id = ids[i]
      // Behind the model's window nothing is judged.
      if (id === undefined) break
      isWordKnown &&= isKnown.get(id) === true && /[a-z].*[a-z]/i.test(token.replace(WORD_END, ''))
      if (!token.endsWith(WORD_END)) continue
      if (isWordKnown) return false
      isWordKnown = true
    }
    return true
  }
}

/** No window of a CLIP is longer. */
const TOKENS_MAX = 512

/** @returns a token of the group of equal vectors, if there is one. */
async function sharedToken(
  ids: readonly bigint[],
  embed: (ids: readonly bigint[]) => Promise<Float32Array[]>,
): Promise<bigint | undefined> {
  const vectors = await embed(ids)
  return ids.find((_, i) => vectors.filter((vector) => isEqual(vector, vectors[i])).length >= TWINS_MIN)
}

const isEqual = (a: Float32Array | undefined, b: Float32Array | undefined): boolean =>
  a !== undefined && b !== undefined && a.every((value, i) => value === b[i])
