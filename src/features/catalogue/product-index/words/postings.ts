import { capacityOf, createBlocks, createColumn } from './growing.ts'

/** More products than this have no words: their numbers would not fit beside a weight. */
export const DOCUMENTS_MAX = 2 ** 24 - 1
export const WEIGHT_MAX = 255

/** Longer lists have an array of their own. */
const SHORT_MAX = 64

/** The products of a word, sorted: number << 8 | weight. A weight of 0 stands for a product that has left. */
export interface PostingList {
  items: Uint32Array
  start: number
  end: number
}

export type Postings = ReturnType<typeof createPostings>

/** The lists of products of all words of a dictionary. Most words have one product alone, which takes no list. */
export function createPostings() {
  const short = createBlocks(Uint32Array)
  const long = new Map<number, Uint32Array>()
  /** Postings of each word, those of weight 0 included. */
  const sizes = createColumn(Uint32Array)
  const documents = createColumn(Uint32Array)
  /** The posting of a word that has one; otherwise where its list starts. */
  const places = createColumn(Uint32Array)
  let longBytes = 0

  function read(word: number): PostingList {
    const size = sizes.items[word] as number
    const place = places.items[word] as number
    if (size <= 1) return { items: places.items, start: word, end: word + size }
    const own = long.get(word)
    if (own) return { items: own, start: 0, end: size }
    return { items: short.column.items, start: place, end: place + size }
  }

  /** Moves a word's list to where it has place for `size` postings. */
  function resize(word: number, size: number): PostingList {
    const before = read(word)
    const count = before.end - before.start
    const own = long.get(word)
    const isPlaced = own
      ? size > SHORT_MAX && size <= own.length
      : count > 1 && size > 1 && size <= SHORT_MAX && capacityOf(size) === capacityOf(count)
    if (isPlaced) return { ...before, end: before.start + size }
    const keptCount = Math.min(count, size)
    if (own) {
      long.delete(word)
      longBytes -= own.byteLength
    } else if (count > 1) short.giveBack(places.items[word] as number, count)
    if (size <= 1) {
      places.items[word] = keptCount > 0 ? (before.items[before.start] as number) : 0
      return { items: places.items, start: word, end: word + size }
    }
    if (size > SHORT_MAX) {
      const larger = new Uint32Array(Math.ceil(size * 1.5))
      larger.set(before.items.subarray(before.start, before.start + keptCount))
      long.set(word, larger)
      longBytes += larger.byteLength
      return { items: larger, start: 0, end: size }
    }
    const start = short.take(size)
    const { items } = short.column
    // A block that grew may have replaced the array; the old one still holds what is copied.
    for (let n = 0; n < keptCount; n++) items[start + n] = before.items[before.start + n] as number
    places.items[word] = start
    return { items, start, end: start + size }
  }

  /** Adds a posting behind all others, where its list has place. Most come this way, because documents count upwards. */
  function append(word: number, size: number, posting: number): boolean {
    const own = size > SHORT_MAX ? long.get(word) : undefined
    const items = own ?? short.column.items
    const end = own ? size : (places.items[word] as number) + size
    const hasPlace = own ? size < own.length : size > 1 && size < SHORT_MAX && capacityOf(size) > size
    if (!hasPlace || (items[end - 1] as number) > posting) return false
    // The same document, which had left: its old posting is taken again.
    if ((items[end - 1] as number) >>> 8 === posting >>> 8) return false
    items[end] = posting
    sizes.items[word] = size + 1
    documents.items[word] = (documents.items[word] as number) + 1
    return true
  }

  /** Removes the postings of products that have left. */
  function compact(word: number): void {
    const { items, start, end } = read(word)
    let to = start
    for (let from = start; from < end; from++) {
      const posting = items[from] as number
      if ((posting & WEIGHT_MAX) !== 0) items[to++] = posting
    }
    resize(word, to - start)
    sizes.items[word] = to - start
  }

  return {
    /** Valid until the next change. */
    read,

    /** The number of products that have a word. */
    count: (word: number): number => documents.items[word] ?? 0,

    /** The weight of a word in a document; 0 where the document lacks it. */
    weightOf: (word: number, document: number): number => weightIn(read(word), document),

    /** @param weight from 1 to {@link WEIGHT_MAX}. The document must not have the word. */
    add(word: number, document: number, weight: number): void {
      for (const column of [sizes, documents, places]) column.reach(word)
      const posting = ((document << 8) | weight) >>> 0
      const size = sizes.items[word] as number
      if (size === 0) {
        sizes.items[word] = 1
        documents.items[word] = 1
        places.items[word] = posting
        return
      }
      if (append(word, size, posting)) return
      const list = read(word)
      const at = search(list, document)
      documents.items[word] = (documents.items[word] as number) + 1
      if (at < list.end && (list.items[at] as number) >>> 8 === document) {
        list.items[at] = posting
        return
      }
      const { items, start, end } = resize(word, size + 1)
      const place = start + (at - list.start)
      if (place < end - 1) items.copyWithin(place + 1, place, end - 1)
      items[place] = posting
      sizes.items[word] = size + 1
    },

    /** The document must have the word. @returns whether no document has it any more. */
    remove(word: number, document: number): boolean {
      const list = read(word)
      const at = search(list, document)
      list.items[at] = (document << 8) >>> 0
      const left = (documents.items[word] as number) - 1
      documents.items[word] = left
      // Lists are cleaned when half of them is gone, so a removal costs little on average.
      if (left * 2 <= (sizes.items[word] as number)) compact(word)
      return left === 0
    },

    bytes: (): number =>
      [short.column, sizes, documents, places].reduce((sum, { items }) => sum + items.byteLength, longBytes),
  }
}

/** The weight of a document in a list; 0 where it is not there. */
export function weightIn(list: PostingList, document: number): number {
  const at = search(list, document)
  if (at === list.end || (list.items[at] as number) >>> 8 !== document) return 0
  return (list.items[at] as number) & WEIGHT_MAX
}

/** The place of the first posting that is not before a document. */
function search({ items, start, end }: PostingList, document: number): number {
  const wanted = (document << 8) >>> 0
  if (end > start && (items[end - 1] as number) < wanted) return end
  let [low, high] = [start, end]
  while (low < high) {
    const middle = (low + high) >>> 1
    if ((items[middle] as number) < wanted) low = middle + 1
    else high = middle
  }
  return low
}
