/** A stretch of a query's words, and what may stand for it. */
export interface Alternative {
  /** Index of its first word in `splitWords(text)`. */
  from: number
  /** Index after its last word. */
  to: number
  /** Each is one word or several; lower case, as somebody would write it. */
  instead: readonly string[]
  /**
   * Who reads them: `both` the words of the products (keyword leg) and the model; `model` the model alone, which then gets them in place
   * of the stretch (a translation for a model that reads English only).
   */
  for: 'both' | 'model'
}
