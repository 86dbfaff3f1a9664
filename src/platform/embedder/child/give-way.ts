import { readdirSync } from 'node:fs'
import { getPriority, setPriority } from 'node:os'

const THREADS = '/proc/self/task'

/**
 * Gives all threads of this process a niceness, and with them those that they start later. On Linux `setPriority` changes one thread
 * only, and Bun starts its pool, in which pictures are decoded, before any code of ours runs. Lowering a higher niceness would
 * need a privilege, so a higher one stays.
 */
export function giveWay(niceness: number): void {
  const raise = (thread: number): void => {
    try {
      if (getPriority(thread) < niceness) setPriority(thread, niceness)
    } catch {
      // The thread has ended.
    }
  }
  // This one first, because it starts most of the others.
  raise(0)
  for (const thread of listThreads()) raise(thread)
}

function listThreads(): number[] {
  try {
    return readdirSync(THREADS).map(Number)
  } catch {
    // Outside Linux the priority is that of the process.
    return []
  }
}
