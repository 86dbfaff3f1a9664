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

/** Calls that are kept of one credential, of those of a store, and of all together. */
const PER_CREDENTIAL_MAX = 200
const PER_STORE_MAX = 4_000
const ALL_MAX = 100_000
/** Credentials that have calls, because the list of one takes as much as a call. */
const CREDENTIALS_MAX = 20_000

/** A longer path is cut: 420 bytes a call then, and 43 MB in all. */
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
 * Keeps the last calls of each credential, in memory alone. Beyond the bound of a store its credential that has been silent
 * for longest is forgotten, so a store with many busy keys pushes out its own calls, and not those of others. Beyond the bound
 * of all together the same holds over all stores.
 */
export function createCallLog(
  { now }: Pick<Clock, 'now'>,
  {
    perCredentialMax = PER_CREDENTIAL_MAX,
    perStoreMax = PER_STORE_MAX,
    allMax = ALL_MAX,
    credentialsMax = CREDENTIALS_MAX,
  } = {},
) {
  /** By credential, the one that has been silent for longest first. */
  const rings = new Map<string, Ring>()
  const keptOf = new Map<string, number>()
  const named = new WeakMap<Request, { storeId: string; credentialId: string }>()
  let kept = 0

  function count(storeId: string, difference: number): void {
    const after = (keptOf.get(storeId) ?? 0) + difference
    if (after > 0) keptOf.set(storeId, after)
    else keptOf.delete(storeId)
    kept += difference
  }

  function forget(credentialId: string, { storeId, calls }: Ring): void {
    count(storeId, -calls.length)
    rings.delete(credentialId)
  }

  /** Forgets silent credentials until the bounds hold. @param busyId one that stays. */
  function makeRoom(storeId: string, busyId: string): void {
    for (const [id, ring] of rings) {
      const isStoreFull = (keptOf.get(storeId) ?? 0) > perStoreMax
      const isFull = kept > allMax || rings.size > credentialsMax
      if (id === busyId || (!isStoreFull && !isFull)) return
      if (!isStoreFull || ring.storeId === storeId) forget(id, ring)
    }
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
        count(storeId, 1)
        makeRoom(storeId, credentialId)
      } else {
        ring.calls[ring.next] = call
        ring.next = (ring.next + 1) % perCredentialMax
      }
    },

    /** Lists the calls of a credential of a store, newest first. */
    list(storeId: string, credentialId: string): Call[] {
      const ring = rings.get(credentialId)
      if (ring?.storeId !== storeId) return []
      return [...ring.calls.slice(ring.next), ...ring.calls.slice(0, ring.next)].reverse()
    },

    forgetStore(storeId: string): void {
      for (const [credentialId, ring] of rings) if (ring.storeId === storeId) forget(credentialId, ring)
    },
  }
}

/** Copies the beginning of a text: a part of an address would keep the whole, and so its query, in memory. */
const detach = (text: string, charsMax: number): string =>
  Buffer.from(text.slice(0, charsMax), 'latin1').toString('latin1')
