import { totalmem } from 'node:os'

const MiB = 1_048_576

/**
 * The most bytes that the vectors of all stores may take on this machine: all but an eighth of its memory, or of what its
 * control group allows, and at least 512 MiB less than all, which the rest of the program takes.
 */
export function vectorBytesMax(machineBytes = findMachineBytes()): number {
  const rest = Math.max(512 * MiB, machineBytes / 8)
  return Math.floor(Math.max(machineBytes / 4, machineBytes - rest))
}

/** Bytes of memory that this process may use. */
function findMachineBytes(): number {
  const allowed = process.constrainedMemory()
  // Without a limit it is 0 or a number beyond all memory.
  return allowed > 0 ? Math.min(allowed, totalmem()) : totalmem()
}
