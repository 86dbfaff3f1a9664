import type { Clock } from '../../../core/clock.ts'

/** A request that a credential has sent. */
export interface Call {
  /** Unix ms. */
  at: number
  method: string
  /** Without its query, which may hold secrets. */
  path: string
  status: number
  durationMs: number
  requestId: string
}

/** Calls that are kept of one credential, and of all together. */
const PER_CREDENTIAL_MAX = 200
const ALL_MAX = 100_000

/** A longer path is cut: some 300 bytes a call then, and 30 MB in all. */
const PATH_CHARS_MAX = 120
const REQUEST_ID_CHARS_MAX = 128

/** The calls of one credential: a list that grows, and then a ring. */
interface Ring {
  storeId: string
  calls: Call[]
  /** Where the next call goes once the ring is full. */
  next: number
}

export type CallLog = ReturnType<typeof createCallLog>

/**
 * Keeps the last calls of each credential, in memory alone. Beyond the bound of all together the credential that has been
 * silent for longest is forgotten, so 500 busy ones have all of their calls, and quiet ones many more.
 */
export function createCallLog(
  { now }: Pick<Clock, 'now'>,
  { perCredentialMax = PER_CREDENTIAL_MAX, allMax = ALL_MAX } = {},
) {
  /** By credential, the one that has been silent for longest first. */
  const rings = new Map<string, Ring>()
  const named = new WeakMap<Request, { storeId: string; credentialId: string }>()
  let kept = 0

  function forget(credentialId: string): void {
    kept -= rings.get(credentialId)?.calls.length ?? 0
    rings.delete(credentialId)
  }

  return {
    /** Names the credential of a request, once it is known. */
    name(request: Request, storeId: string, credentialId: string): void {
      named.set(request, { storeId, credentialId })
    },

    /** Keeps a request that was answered; one without a known credential is left out. */
    add(request: Request, { method, path, status, durationMs, requestId }: Omit<Call, 'at'>): void {
      const known = named.get(request)
      if (!known) return
      const { storeId, credentialId } = known
      const ring = rings.get(credentialId) ?? { storeId, calls: [], next: 0 }
      rings.delete(credentialId)
      rings.set(credentialId, ring)
      const call: Call = {
        at: now(),
        method,
        path: detach(path, PATH_CHARS_MAX),
        status,
        durationMs,
        requestId: detach(requestId, REQUEST_ID_CHARS_MAX),
      }
      if (ring.calls.length < perCredentialMax) {
        ring.calls.push(call)
        kept += 1
      } else {
        ring.calls[ring.next] = call
        ring.next = (ring.next + 1) % perCredentialMax
      }
      for (const [silent] of rings) {
        if (kept <= allMax || silent === credentialId) break
        forget(silent)
      }
    },

    /** Lists the calls of a credential of a store, newest first. */
    list(storeId: string, credentialId: string): Call[] {
      const ring = rings.get(credentialId)
      if (ring?.storeId !== storeId) return []
      return [...ring.calls.slice(ring.next), ...ring.calls.slice(0, ring.next)].reverse()
    },

    forgetStore(storeId: string): void {
      for (const [credentialId, ring] of rings) if (ring.storeId === storeId) forget(credentialId)
    },
  }
}

/** Copies the beginning of a text: a part of an address would keep the whole, and so its query, in memory. */
const detach = (text: string, charsMax: number): string =>
  Buffer.from(text.slice(0, charsMax), 'latin1').toString('latin1')
