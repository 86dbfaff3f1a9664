import type { Clock } from '../../core/clock.ts'
import type { Ids } from '../../core/ids.ts'

/** How often the owner renews its lease, in ms. */
const RENEW_MS = 5_000
/** The owner acknowledges nothing from this time on after its last good renewal began, in ms. */
const ACKNOWLEDGE_MS = 10_000
/** A standby takes over when the lease has stood still for this time, in ms. */
const STILL_MS = 15_000

/** An object with conditional writes, which decide who the owner is. */
export interface LeaseObject {
  /** @returns undefined if there is none. */
  get(): Promise<{ etag: string; text: string } | undefined>
  /** @returns false if the condition does not hold. */
  put(text: string, condition: { ifMatch: string } | { ifNoneMatch: '*' }): Promise<{ etag: string } | false>
}

export type Claim = { isOwner: true } | { isOwner: false; isThere: boolean; epoch: number }

export interface Watched {
  /** Whether there is a lease at all. */
  isThere: boolean
  epoch: number
  isStill: boolean
}

export type Lease = ReturnType<typeof createLease>

export interface LeaseDeps {
  object: LeaseObject
  /** The name of this node, which no other has. */
  owner: string
  clock: Pick<Clock, 'monotonic'>
  ids: Pick<Ids, 'uuid'>
  log: { warn(fields: object, message: string): void }
}

interface Content {
  owner: string
  epoch: number
}

/**
 * The right of one node to answer writes for an install, kept as one object in a store with conditional writes.
 *
 * Each side counts on its own monotonic clock, from the moment *before* a request was sent for the owner, and from the moment *after* an
 * answer came for those who watch. So between the last acknowledgement of an owner and the first of its successor lie 5 s, whatever
 * their clocks say, and a process that was paused finds its time over when it wakes.
 */
export function createLease({ object, owner, clock, ids, log }: LeaseDeps) {
  let epoch = 0
  let etag = ''
  let renewedAt = Number.NEGATIVE_INFINITY
  let isRenewing = false
  let isLost = false
  let timer: Timer | undefined
  const listeners: (() => void)[] = []
  let seen = { etag: '', at: 0, epoch: 0 }

  async function write(next: number, condition: Parameters<LeaseObject['put']>[1]): Promise<boolean> {
    const began = clock.monotonic()
    // Each renewal has contents of its own, or a store might give it the tag of the one before.
    const text = JSON.stringify({ owner, epoch: next, renewal: ids.uuid() })
    const written = await object.put(text, condition)
    if (!written) return false
    epoch = next
    etag = written.etag
    renewedAt = began
    return true
  }

  async function read(): Promise<(Content & { etag: string }) | undefined> {
    const found = await object.get()
    return found && { etag: found.etag, ...parse(found.text) }
  }

  /** While the store is away the owner cannot renew either: it gets its time again from the first look that succeeds. */
  async function readWatched(): ReturnType<typeof read> {
    try {
      return await read()
    } catch (error) {
      seen = { etag: '', at: 0, epoch: 0 }
      throw error
    }
  }

  function lose(): void {
    if (isLost) return
    isLost = true
    renewedAt = Number.NEGATIVE_INFINITY
    clearInterval(timer)
    for (const tell of listeners) tell()
  }

  /** An answer that was lost on the way leaves a lease of this node with another tag. */
  async function isOwnAgain(): Promise<boolean> {
    const found = await read()
    if (found?.owner !== owner || found.epoch !== epoch) return false
    return write(epoch, { ifMatch: found.etag })
  }

  async function renew(): Promise<void> {
    if (isRenewing || isLost) return
    isRenewing = true
    try {
      if (!(await write(epoch, { ifMatch: etag })) && !(await isOwnAgain())) lose()
    } catch (error) {
      log.warn(
        { reason: (error as Error).message },
        'the lease was not renewed; writes are refused after 10 seconds',
      )
    } finally {
      isRenewing = false
    }
  }

  return {
    /** Of the present claim; 0 without one. */
    get epoch(): number {
      return epoch
    },

    /** Makes the first lease, or goes on with one that is this node's own. */
    async claim(mayBeFirst: boolean): Promise<Claim> {
      const found = await read()
      if (!found) {
        if (mayBeFirst && (await write(1, { ifNoneMatch: '*' }))) return { isOwner: true }
        return { isOwner: false, isThere: mayBeFirst, epoch: 0 }
      }
      if (found.owner === owner && (await write(found.epoch, { ifMatch: found.etag })))
        return { isOwner: true }
      return { isOwner: false, isThere: true, epoch: found.epoch }
    },

    /** Looks whether the lease has stood still for so long that its owner acknowledges nothing any more. */
    async watch(): Promise<Watched> {
      const found = await readWatched()
      if (!found) return { isThere: false, epoch: 0, isStill: false }
      if (found.etag !== seen.etag) seen = { etag: found.etag, at: clock.monotonic(), epoch: found.epoch }
      return { isThere: true, epoch: found.epoch, isStill: clock.monotonic() - seen.at >= STILL_MS }
    },

    /** Takes a lease that has stood still. @returns false if somebody was faster, or its owner is back. */
    takeOver: (): Promise<boolean> => write(seen.epoch + 1, { ifMatch: seen.etag }),

    /** Renews from now on. */
    start(): void {
      timer = setInterval(() => void renew(), RENEW_MS)
    },

    stop(): void {
      clearInterval(timer)
    },

    renew,
    mayAcknowledge: (): boolean => clock.monotonic() - renewedAt < ACKNOWLEDGE_MS,
    onLost: (tell: () => void): void => void listeners.push(tell),
  }
}

function parse(text: string): Content {
  try {
    const { owner, epoch } = JSON.parse(text) as Content
    if (typeof owner === 'string' && Number.isSafeInteger(epoch) && epoch > 0) return { owner, epoch }
  } catch {
    // The same as any other content that is no lease.
  }
  throw new Error(
    'lease.json in the bucket is no lease: another program uses this prefix, choose one of its own',
  )
}
