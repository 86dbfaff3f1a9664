import type { Clock } from '../../core/clock.ts'
import type { Ids } from '../../core/ids.ts'
import { type Condition, type LeaseContent, type LeaseObject, parseLease } from './content.ts'

/** A write of ours may be found so often in the place of the one that was refused. */
const TRIES = 3
/** More than are sent in an hour in which every answer is lost. */
const SENT_MAX = 1_000

export interface LeaseWritesDeps {
  object: LeaseObject
  /** The name of this node. A copy of its data folder has the same. */
  owner: string
  /** Where it runs; see {@link LeaseContent}. */
  seat: string
  /** The install: `find` gives undefined for a node that has no secrets yet, `ensure` makes them. */
  install: { find(): string | undefined; ensure(): string }
  /** It must go on while the machine sleeps. */
  clock: Pick<Clock, 'monotonic'>
  ids: Pick<Ids, 'uuid'>
}

type Found = LeaseContent & { etag: string }

/** Reads and writes the lease, and remembers what this process has written. */
export function createLeaseWrites({ object, owner, seat, install, clock, ids }: LeaseWritesDeps) {
  let [epoch, etag, renewedAt] = [0, '', Number.NEGATIVE_INFINITY]
  /** Writes that have taken effect, or may have without an answer. */
  const sent = new Set<string>()

  async function read(): Promise<Found | undefined> {
    const found = await object.get()
    return found && { etag: found.etag, ...parseLease(found.text) }
  }

  async function put(next: number, condition: Condition): Promise<boolean> {
    const began = clock.monotonic()
    const content = { install: install.ensure(), owner, seat, epoch: next, renewal: ids.uuid() }
    if (sent.size >= SENT_MAX) sent.delete(sent.values().next().value as string)
    sent.add(content.renewal)
    const written = await object.put(JSON.stringify(content satisfies LeaseContent), condition)
    if (!written) return false
    epoch = next
    etag = written.etag
    renewedAt = began
    return true
  }

  const isOurs = ({ renewal }: LeaseContent): boolean => sent.has(renewal)

  return {
    read,
    /** Whether this process has written it. */
    isOurs,
    /** Of the last write that is known to have taken effect. */
    get epoch(): number {
      return epoch
    },
    get etag(): string {
      return etag
    },
    /** When that write was sent. */
    get renewedAt(): number {
      return renewedAt
    },

    /** Writes, also when an earlier write of this process took effect without its knowledge. @returns false if another process did. */
    async write(next: number, condition: Condition): Promise<boolean> {
      let holds = condition
      for (let tries = 0; tries < TRIES; tries++) {
        if (await put(next, holds)) return true
        const found = await read()
        if (found === undefined || found.epoch !== next || !isOurs(found)) return false
        holds = { ifMatch: found.etag }
      }
      return false
    },
  }
}
