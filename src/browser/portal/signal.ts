import { useEffect, useState } from 'preact/hooks'

/** A value that several parts of the page follow. */
export interface Signal<Value> {
  get(): Value
  set(value: Value): void
  listen(listener: () => void): () => void
}

export function signal<Value>(first: Value): Signal<Value> {
  let value = first
  const listeners = new Set<() => void>()
  return {
    get: () => value,
    set(next) {
      if (Object.is(value, next)) return
      value = next
      for (const listener of listeners) listener()
    },
    listen(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
  }
}

/** Draws the component again when the value changes. */
export function useSignal<Value>(source: Signal<Value>): Value {
  const [, draw] = useState(0)
  useEffect(() => source.listen(() => draw((n) => n + 1)), [source])
  return source.get()
}
