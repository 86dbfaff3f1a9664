import type { SeenTokens } from '../seen-tokens.ts'

/** How well a model knows a text. */
export interface TextKnowledge {
  /** The share of the words that the model does not know, 0 to 1; 0 for a text without any sign. */
  unknownShare: number
  /** The different words that it does not know, in small letters, in their order. */
  unknownWords: string[]
  /** These, and the different words that its vocabulary has only in pieces: most typos are among them. */
  doubtfulWords: string[]
  /** Different words of the text. */
  words: number
}

export type Knowing = (text: string) => Promise<TextKnowledge>

interface Parts {
  /** Computes vectors of texts of one length, start and end tokens included. */
  embed(texts: readonly { ids: bigint[]; isTruncated: boolean }[]): Promise<Float32Array[]>
  /** The tokens of a text as spelt in the vocabulary, without start and end tokens. */
  spell(text: string): string[]
  /** The same tokens as ids, with start and end tokens. */
  toIds(text: string): bigint[]
  /** The tokens that occurred in training, for a model that says so. */
  seen?: SeenTokens | undefined
  /** Every text takes as long as the longest, so that trying tokens one by one would take seconds; no such model shares embeddings. */
  isPadded?: boolean
}

type Learned = (ids: readonly bigint[]) => Promise<(id: bigint) => boolean>

/** Sample of CLIP's vocabulary in which to find the embedding that unknown tokens share. */
const PROBES = Array.from({ length: 32 }, (_, i) => BigInt(1000 + i * 1500))
/** Number of equal vectors among the probes that cannot be a coincidence. */
const TWINS_MIN = 8
const WORD_END = '</w>'

/**
 * Creates what tells the words of a text that a model knows from those that it does not. A word is known when all of its
 * tokens occurred in training and none is a single letter: letters occurred, but a word that must be spelt letter by letter
 * did not. Single letters, digits and punctuation are no words; a text of nothing else is unknown as a whole.
 *
 * For a model without a list of its tokens, see {@link learnFromModel}. With a sentencepiece tokenizer no word is unknown: it spells
 * every word from pieces and bytes, and marks no word's end.
 */
export async function createKnowing({ embed, spell, toIds, seen, isPadded }: Parts): Promise<Knowing> {
  const all = async () => (id: bigint) => seen?.has(Number(id)) ?? true
  const isClip = spell('a').at(-1)?.endsWith(WORD_END) ?? false
  const canTry = isClip && !isPadded
  const learned = isClip && seen ? all : canTry ? await learnFromModel({ embed, toIds }) : undefined
  if (!learned)
    return async (text) => ({
      unknownShare: 0,
      unknownWords: [],
      doubtfulWords: [],
      words: isClip ? spell(text).length : (text.match(/[\p{L}\p{N}]+/gu)?.length ?? 0),
    })

  return async (text) => {
    const spelt = spell(text).slice(0, TOKENS_MAX)
    const ids = toIds(text).slice(1, -1)
    if (spelt.length === 0) return { unknownShare: 0, unknownWords: [], doubtfulWords: [], words: 0 }
    const isKnown = await learned(ids)
    const all = new Set<string>()
    const unknownWords = new Set<string>()
    const doubtfulWords = new Set<string>()
    let [words, unknown] = [0, 0]
    let word = { text: '', isKnown: true, pieces: 0 }
    for (const [i, token] of spelt.entries()) {
      const id = ids[i]
      // Tokens after the model's window do not count.
      if (id === undefined) break
      const part = token.replace(WORD_END, '')
      word.text += part
      word.pieces++
      word.isKnown &&= isKnown(id) && /[a-z].*[a-z]/i.test(part)
      if (!token.endsWith(WORD_END)) continue
      const name = readBytes(word.text)
      // A sign such as 茶 is a word by itself, and takes three bytes.
      if (/\p{L}/u.test(name) && (name.length > 1 || word.text.length > 2)) {
        words++
        all.add(name)
        if (!word.isKnown || word.pieces > 1) doubtfulWords.add(name)
        if (!word.isKnown) {
          unknown++
          unknownWords.add(name)
        }
      }
      word = { text: '', isKnown: true, pieces: 0 }
    }
    const unknownShare = words === 0 ? 1 : unknown / words
    return {
      unknownShare,
      unknownWords: [...unknownWords],
      doubtfulWords: [...doubtfulWords],
      words: all.size,
    }
  }
}

/**
 * Finds out whether a model gives every token without training text the same embedding. Such tokens, alone between start
 * and end, have bit-identical vectors within one inference. For a model without such an embedding no word is unknown.
 */
async function learnFromModel({
  embed,
  toIds,
}: Pick<Parts, 'embed' | 'toIds'>): Promise<Learned | undefined> {
  const [start, end] = toIds('')
  if (start === undefined || end === undefined) return undefined
  const wrapToken = (id: bigint) => ({ ids: [start, id, end], isTruncated: false })
  const probes = PROBES.filter((id) => id < start)
  if (probes.length < TWINS_MIN) return undefined
  const unknownId = await findSharedToken(probes, (ids) => embed(ids.map(wrapToken)))
  if (unknownId === undefined) return undefined
  /** By token id; never larger than the vocabulary. */
  const isKnown = new Map<bigint, boolean>()
  return async (ids) => {
    const fresh = [...new Set(ids)].filter((id) => !isKnown.has(id))
    if (fresh.length > 0) {
      const [unknown, ...vectors] = await embed([unknownId, ...fresh].map(wrapToken))
      for (const [i, id] of fresh.entries()) isKnown.set(id, !isEqual(unknown, vectors[i]))
    }
    return (id) => isKnown.get(id) === true
  }
}

/** The bytes that the letters of CLIP's vocabulary stand for: printable Latin-1 for itself, the others in their order from U+0100. */
const BYTES = (() => {
  const isOwn = (byte: number) => (byte >= 33 && byte <= 126) || (byte >= 161 && byte <= 172) || byte >= 174
  const bytes = new Map<string, number>()
  let next = 256
  for (let byte = 0; byte < 256; byte++) bytes.set(String.fromCharCode(isOwn(byte) ? byte : next++), byte)
  return bytes
})()

/** Reads a word as the vocabulary spells it. */
function readBytes(spelt: string): string {
  const bytes = Uint8Array.from(spelt, (letter) => BYTES.get(letter) ?? 63)
  return new TextDecoder().decode(bytes)
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
