/** An answer to a write that a node has given, or would have. */
export interface Ack {
  /** Real time, which no node knows. */
  at: number
  /** The process, which ends with a kill. */
  process: string
  /** The name of the node in the lease. */
  owner: string
  epoch: number
}

/**
 * Judges who acknowledged when. Whoever acknowledged is over when another process does: none may go on after its successor began. Epochs only
 * grow, and belong to one node each.
 */
export function findFaults(acks: readonly Ack[]): { faults: string[]; changes: number } {
  const faults = new Set<string>()
  const over = new Set<string>()
  const owners = new Map<number, string>()
  let last: Ack | undefined
  let changes = 0
  for (const ack of acks.toSorted((a, b) => a.at - b.at)) {
    if (last && ack.process !== last.process) {
      over.add(last.process)
      changes++
      if (ack.epoch < last.epoch) faults.add(`epoch ${ack.epoch} of ${ack.process} came after ${last.epoch}`)
    }
    if (over.has(ack.process)) {
      faults.add(`${ack.process} acknowledged at ${Math.round(ack.at)} ms, after its successor had begun`)
      over.delete(ack.process)
    }
    const owner = owners.get(ack.epoch)
    if (owner === undefined) owners.set(ack.epoch, ack.owner)
    else if (owner !== ack.owner) faults.add(`epoch ${ack.epoch} belonged to ${owner} and ${ack.owner}`)
    last = ack
  }
  return { faults: [...faults], changes }
}
