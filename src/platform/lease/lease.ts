/**
 * The right of one node to answer writes for an install: one object in a store with conditional writes.
 *
 * A lease in the sense of Gray and Cheriton (1989): a right that ends by itself, so nobody has to reach its holder to take it away. The store's
 * compare-and-swap is the only arbiter (S3: "How to prevent object overwrites with conditional writes"); there is no agreement between nodes.
 *
 * **Why two owners never acknowledge at once.** The owner counts from the moment *before* a renewal was sent, those who watch count from
 * the moment *after* they saw it. With B the begin of the last renewal that took effect, the owner acknowledges until B + 10 s. A standby saw
 * that renewal at B or later, waits 15 s from there, and its write takes the lease only if nothing was renewed since (`If-Match`). 5 s lie between
 * both: enough for clocks of which one runs a third faster than the other. A renewal that takes effect late does not count for its owner, whose
 * time began with its sending, and it makes the standby wait anew. After a takeover the tag of the former owner is of the past for ever.
 *
 * **Pauses.** A process that was stopped, or a machine that slept, finds its time over when it wakes, because the clock went on (`machine.ts`). What no
 * look at a clock can see: a pause between that look and the answer (Kleppmann, "How to do distributed locking", 2016), and a whole
 * virtual machine that its host held, whose clocks all stood still. Such an owner may answer until its next renewal is refused, 5 s
 * later at most. What it answers then lies under its own epoch, which nobody reads any more: it counts as lost, like the last second before a death.
 * With `SYNC_COPIES` it is not answered: there {@link createLease.confirm} asks the store itself after the copy, and that needs no clock.
 *
 * **Answers that get lost.** A write whose answer did not come may have taken effect. Each has a word of its own (`renewal`); a refused write
 * looks whether the object holds one that this process has sent, and goes on from its tag. The name of the node would not do: a copy
 * of the data folder has the same one.
 *
 * **A restart** goes on with the lease of its own name, in the same epoch, at once in the same place: the lock of the data folder has shown that
 * the former process is gone. In another place (a copied folder, a disk that was moved, a machine that was started anew) it watches first, like a standby.
 */
import { OperatorError } from '../../core/operator-error.ts'
import { shareLater } from '../../core/share-run.ts'
import { createLeaseWrites, type LeaseWritesDeps } from './writes.ts'

/** How often the owner renews its lease, in ms. */
const RENEW_MS = 5_000
/** A renewal that failed is tried again then. */
const RETRY_MS = 1_000
/** The owner acknowledges nothing from this time on after its last good renewal began, in ms. */
const ACKNOWLEDGE_MS = 10_000
/** A standby takes over when the lease has stood still for this time, in ms. */
const STILL_MS = 15_000
/** How often a lease of the same name in another place is looked at. */
const LOOK_MS = 1_000
/** A claim is tried again so often when something else was written meanwhile. */
const TRIES = 3
/** The same warning is logged so often. */
const REPEAT_MS = 60_000

export type Claim = { isOwner: true } | { isOwner: false; isThere: boolean; epoch: number }

export interface Watched {
  /** Whether there is a lease at all. */
  isThere: boolean
  epoch: number
  /** How long it has stood still in the sight of this process, in ms. */
  stillMs: number
  isStill: boolean
}

export type Lease = ReturnType<typeof createLease>

export interface LeaseDeps extends LeaseWritesDeps {
  /** The highest epoch of which anything lies in the bucket; 0 without one. */
  findLastEpoch(): Promise<number>
  log: { warn(fields: object, message: string): void }
  /** Calls back after a time in ms. @returns what cancels it. */
  after?(ms: number, work: () => void): () => void
}

export function createLease(deps: LeaseDeps) {
  const { owner, seat, install, clock, log, after = afterMs } = deps
  const writes = createLeaseWrites(deps)
  const { read, write, isOurs } = writes
  let isRenewing = false
  let isLost = false
  let isStopped = false
  let cancel = (): void => {}
  let warnedAt = Number.NEGATIVE_INFINITY
  let seen = { etag: '', at: 0, epoch: 0 }
  const listeners: (() => void)[] = []

  function lose(): void {
    if (isLost) return
    isLost = true
    cancel()
    for (const tell of listeners) tell()
  }

  function warn(reason: string): void {
    if (clock.monotonic() - warnedAt < REPEAT_MS) return
    warnedAt = clock.monotonic()
    log.warn({ reason }, 'the lease was not renewed; writes are refused after 10 seconds')
  }

  async function renew(): Promise<void> {
    if (isRenewing || isLost) return
    isRenewing = true
    try {
      if (!(await write(writes.epoch, { ifMatch: writes.etag }))) lose()
    } catch (error) {
      warn((error as Error).message)
    } finally {
      isRenewing = false
    }
  }

  function plan(ms: number): void {
    if (isLost || isStopped) return
    cancel = after(ms, () => {
      void renew().then(() => {
        const left = writes.renewedAt + RENEW_MS - clock.monotonic()
        plan(left > 0 ? left : RETRY_MS)
      })
    })
  }

  async function ask(): Promise<boolean> {
    try {
      const found = await read()
      if (found !== undefined && isOurs(found)) return !isLost
      lose()
    } catch (error) {
      warn((error as Error).message)
    }
    return false
  }

  /** While the store is away the owner cannot renew either: it gets its time again from the first look that succeeds. */
  async function watch(): Promise<Watched> {
    let found: Awaited<ReturnType<typeof read>>
    try {
      found = await read()
    } catch (error) {
      seen = { etag: '', at: 0, epoch: 0 }
      throw error
    }
    if (!found) return { isThere: false, epoch: 0, stillMs: 0, isStill: false }
    if (found.etag !== seen.etag) seen = { etag: found.etag, at: clock.monotonic(), epoch: found.epoch }
    // A takeover whose answer was lost is nobody's but this process's.
    const stillMs = clock.monotonic() - seen.at
    return { isThere: true, epoch: found.epoch, stillMs, isStill: isOurs(found) || stillMs >= STILL_MS }
  }

  /** Whether a lease stays as it was found for so long that whoever holds it acknowledges nothing any more. */
  async function staysStill(found: { etag: string }): Promise<boolean> {
    for (;;) {
      const { isStill } = await watch()
      if (seen.etag !== found.etag) return false
      if (isStill) return true
      await new Promise<void>((resolve) => after(LOOK_MS, resolve))
    }
  }

  return {
    /** Of the present claim; 0 without one. */
    get epoch(): number {
      return writes.epoch
    },

    /**
     * Makes the first lease, or goes on with one that is this node's own.
     *
     * @throws OperatorError for the lease of another install, in one sentence.
     */
    async claim(mayBeFirst: boolean): Promise<Claim> {
      for (let tries = 0; tries < TRIES; tries++) {
        const found = await read()
        if (found === undefined) {
          if (!mayBeFirst) return { isOwner: false, isThere: false, epoch: 0 }
          if (await write((await deps.findLastEpoch()) + 1, { ifNoneMatch: '*' })) return { isOwner: true }
          continue
        }
        const [{ epoch }, known] = [found, install.find()]
        if (found.owner !== owner) {
          if (known !== undefined && known !== found.install) throw foreignInstall()
          return { isOwner: false, isThere: true, epoch }
        }
        if (found.seat !== seat && !(await staysStill(found))) return { isOwner: false, isThere: true, epoch }
        // What the former process had sent last may still arrive.
        if (await write(epoch, { ifMatch: found.etag })) return { isOwner: true }
      }
      throw new OperatorError(
        'lease.json changes all the time: find out which other nodes write to this bucket.',
      )
    },

    /** Looks whether the lease has stood still for so long that its owner acknowledges nothing any more. */
    watch,

    /** Takes a lease that has stood still. @returns false if somebody was faster, or its owner is back. */
    async takeOver(): Promise<boolean> {
      const [next, condition] = [seen.epoch + 1, { ifMatch: seen.etag }]
      // The second write finds out what became of the first.
      return write(next, condition).catch(() => write(next, condition))
    },

    /** Renews from now on. */
    start: (): void => plan(RENEW_MS),

    stop(): void {
      isStopped = true
      cancel()
    },

    renew,
    mayAcknowledge: (): boolean => !isLost && clock.monotonic() - writes.renewedAt < ACKNOWLEDGE_MS,

    /** Asks the store whether the lease is still this node's, after this moment: no clock can make that answer wrong. */
    confirm: shareLater(ask),

    /** Loss is final: this process owns nothing any more. */
    onLost: (tell: () => void): void => void listeners.push(tell),
  }
}

const foreignInstall = (): OperatorError =>
  new OperatorError(
    'The bucket holds the lease of another install under this prefix: choose a prefix of its own, or bring the folder "secrets" of its owner here.',
  )

function afterMs(ms: number, work: () => void): () => void {
  const timer = setTimeout(work, ms)
  return () => clearTimeout(timer)
}
