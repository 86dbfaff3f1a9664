/** What the roles of a node need of the lease. */
export interface NodeLease {
  /** Of the present claim; 0 without one. */
  readonly epoch: number
  /** Makes the first lease, or goes on with one that is this node's own. */
  claim(mayBeFirst: boolean): Promise<Claim>
  /** Looks whether the lease has stood still for so long that its owner acknowledges nothing any more, on the clock of this node. */
  watch(): Promise<Watched>
  /** Takes a lease that has stood still. @returns false if somebody else was faster, or its owner is back. */
  takeOver(): Promise<boolean>
  /** Renews it from now on. */
  start(): void
  stop(): void
  mayAcknowledge(): boolean
  onLost(tell: () => void): void
}

export type Claim = { isOwner: true } | { isOwner: false; isThere: boolean; epoch: number }

export interface Watched {
  /** Whether there is a lease at all. */
  isThere: boolean
  epoch: number
  isStill: boolean
}
