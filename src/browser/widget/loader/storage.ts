/**
 * Local storage that never throws: where the browser or the shopper refuses it, values live as long as the page.
 *
 * `allow(false)` keeps everything in memory, and removes what is stored.
 */
export interface Storage {
  read<Value>(name: string, fallback: Value): Value
  write(name: string, value: unknown): void
  /** Whether the disk may be used. Values that were kept in memory until then are written. */
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

  return {
    read(name, fallback) {
      if (isAllowed) {
        try {
          const text = localStorage.getItem(name)
          if (text !== null)
            return (typeof fallback === 'string' ? text : JSON.parse(text)) as typeof fallback
        } catch {
          // As above, or somebody else has written there.
        }
      }
      return (memory.get(name) as typeof fallback | undefined) ?? fallback
    },
    write(name, value) {
      memory.set(name, value)
      if (isAllowed) store(name, value)
    },
    allow(allowed) {
      isAllowed = allowed
      if (allowed) {
        for (const [name, value] of memory) store(name, value)
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
