/**
 * A map for facts that can be found again. When a new key would exceed the maximum, everything goes: that costs the work of
 * one map once in `max` keys, and needs no order of use on every read.
 */
export class BoundedMap<Key, Value> extends Map<Key, Value> {
  readonly #max: number

  constructor(max: number) {
    super()
    this.#max = max
  }

  override set(key: Key, value: Value): this {
    if (this.size >= this.#max && !this.has(key)) this.clear()
    return super.set(key, value)
  }
}
