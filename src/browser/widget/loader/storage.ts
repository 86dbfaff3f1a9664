/**
 * Local storage that never throws: where the browser or the shopper refuses it, values live as long as the page.
 *
 * `allow(false)` keeps everything in memory, and removes what is stored.
 */
export interface Storage {
  read<Value>(name: string, fallback: Value): Value
  /** Reads a list; anything else is an empty one. */
  list<Entry>(name: string): Entry[]
  write(name: string, value: unknown): void
  /** Whether the disk may be used. Lists that were kept in memory until then join those on the disk. */
  allow(isAllowed: boolean): void
}

/** The spec's name for the session; it holds plain text, the others JSON. */
export const SESSION = 'service-sid'
export const CLICKS = 'service-clicks'
export const ORDERS = 'service-orders'
export const QUEUE = 'service-queue'

export function createStorage(isAllowedFirst: boolean): Storage {
  const memory = new Map<string, unknown>()
  let isAllowed = isAllowedFirst

  const store = (name: string, value: unknown): void => {
    try {
      localStorage.setItem(name, typeof value === 'string' ? value : JSON.stringify(value))
    } catch {
      // Private mode, a full disk or a policy: memory has it.
    }
  }

  /** @returns null or undefined where nothing is stored, or nothing of ours. */
  const recall = (name: string, isText: boolean): unknown => {
    try {
      const text = localStorage.getItem(name)
      return text === null || isText ? text : JSON.parse(text)
    } catch {
      // As above, or somebody else has written there.
      return undefined
    }
  }

  function read<Value>(name: string, fallback: Value): Value {
    const stored = isAllowed ? recall(name, typeof fallback === 'string') : undefined
    return (stored ?? memory.get(name) ?? fallback) as Value
  }

  return {
    read,
    list(name) {
      const stored = read<unknown>(name, [])
      return Array.isArray(stored) ? stored : []
    },
    write(name, value) {
      memory.set(name, value)
      if (isAllowed) store(name, value)
    },
    allow(allowed) {
      if (allowed && isAllowed) return
      isAllowed = allowed
      if (allowed) {
        for (const [name, value] of memory) {
          const stored = recall(name, false)
          store(name, Array.isArray(value) && Array.isArray(stored) ? [...stored, ...value] : value)
        }
        return
      }
      memory.clear()
      try {
        for (const name of [SESSION, CLICKS, ORDERS, QUEUE]) localStorage.removeItem(name)
      } catch {
        // Nothing was stored.
      }
    },
  }
}
