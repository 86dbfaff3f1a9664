/** Waits for a turn of the event loop that no other heavy step uses. */
export type Turn = () => Promise<void>

/**
 * Gives each heavy step a turn of the event loop of its own. Other requests are served between two steps, so none waits
 * for more than one step, however many are queued.
 *
 * @param later runs a callback in a later turn, after pending input and output.
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

/** The turns of this process's event loop. */
export const turn: Turn = createTurns(setImmediate)

/** Work on fewer bytes runs without waiting for a turn. */
export const HEAVY_BYTES = 32 * 1024

/** Bytes processed in one step. */
export const STEP_BYTES = 2 * 1024 * 1024
