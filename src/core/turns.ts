/** Waits for a turn of the event loop that no other heavy step has. */
export type Turn = () => Promise<void>

/**
 * Gives heavy steps one turn of the event loop each: between two of them everybody else's requests are looked at, so
 * nobody waits longer than for one step, however many wait.
 *
 * @param later runs a callback in a later turn, after input and output were looked at.
 */
export function createTurns(later: (callback: () => void) => void): Turn {
  const waiting: (() => void)[] = []

  function next(): void {
    waiting.shift()?.()
    if (waiting.length > 0) later(next)
  }

  return () =>
    new Promise((resolve) => {
      waiting.push(resolve)
      if (waiting.length === 1) later(next)
    })
}

/** The turns of this process, which has one event loop. */
export const turn: Turn = createTurns(setImmediate)

/** Work on fewer bytes is done where it stands. */
export const HEAVY_BYTES = 32 * 1024

/** Bytes of one step, for work that can be cut into pieces. */
export const STEP_BYTES = 2 * 1024 * 1024
