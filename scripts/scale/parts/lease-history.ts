/** An answer to a write that a process has given, or would have. */
export interface Ack {
  /** Real time, which no node knows: not later than the look at the lease, in ms. */
  at: number
  /** Not earlier than that look. */
  until: number
  /** It ends with a kill. */
  process: string
  /** The name of the node in the lease. */
  owner: string
  epoch: number
}

/**
 * Judges who acknowledged when. A process is over when another one has begun after it: it must not acknowledge any more. Epochs grow with each
 * owner, and belong to one node each.
 */
export function findFaults(acks: Iterable<Ack>): { faults: string[]; changes: number } {
  const processes = new Map<string, { began: number; last: number; epochs: Set<number>; owner: string }>()
  for (const { at, until, process, owner, epoch } of acks) {
    const known = processes.get(process)
    if (!known) processes.set(process, { began: until, last: at, epochs: new Set([epoch]), owner })
    else {
      known.began = Math.min(known.began, until)
      known.last = Math.max(known.last, at)
      known.epochs.add(epoch)
    }
  }
  const inOrder = [...processes].sort(([, a], [, b]) => a.began - b.began)
  const faults: string[] = []
  const owners = new Map<number, string>()
  let highest = 0
  for (const [n, [name, { last, epochs, owner }]] of inOrder.entries()) {
    const successor = inOrder[n + 1]
    if (successor && last > successor[1].began)
      faults.push(
        `${name} acknowledged at ${Math.round(last)} ms, ${successor[0]} had begun at ${Math.round(successor[1].began)} ms`,
      )
    for (const epoch of [...epochs].sort((a, b) => a - b)) {
      if (epoch < highest) faults.push(`epoch ${epoch} of ${name} came after ${highest}`)
      highest = Math.max(highest, epoch)
      const former = owners.get(epoch) ?? owner
      owners.set(epoch, former)
      if (former !== owner) faults.push(`epoch ${epoch} belonged to ${former} and ${owner}`)
    }
  }
  return { faults, changes: Math.max(0, inOrder.length - 1) }
}
