/** An object with conditional writes, which decide who the owner is. */
export interface LeaseObject {
  /** @returns undefined if there is none. */
  get(): Promise<{ etag: string; text: string } | undefined>
  /** @returns false if the condition does not hold. */
  put(text: string, condition: Condition): Promise<{ etag: string } | false>
}

export type Condition = { ifMatch: string } | { ifNoneMatch: '*' }

/** What `lease.json` says. */
export interface LeaseContent {
  /** Tells the bucket of this install from that of another one. */
  install: string
  /** The name of the node. */
  owner: string
  /** Where the node runs: this data folder, on this machine, since the machine was started. */
  seat: string
  /** Grows with every owner, and never comes back. */
  epoch: number
  /** Differs with every write: it tells the writes of one process from those of a copy of it. */
  renewal: string
}

/** @throws Error for an object that is no lease, in one sentence. */
export function parseLease(text: string): LeaseContent {
  try {
    const content = JSON.parse(text) as LeaseContent
    const { install, owner, seat, epoch, renewal } = content
    const isWhole = [install, owner, seat, renewal].every((word) => typeof word === 'string' && word !== '')
    if (isWhole && Number.isSafeInteger(epoch) && epoch > 0) return { install, owner, seat, epoch, renewal }
  } catch {
    // The same as any other content that is no lease.
  }
  throw new Error(
    'lease.json in the bucket is no lease: another program uses this prefix, choose one of its own',
  )
}
