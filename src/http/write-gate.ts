import { Elysia } from 'elysia'
import type { Leave, WriteGate } from '../core/write-gate.ts'

/** Lets requests that may write pass the gate of their store, and ends their stay when they are answered. */
export type RequestGate = ReturnType<typeof createRequestGate>

export function createRequestGate(gate: Pick<WriteGate, 'enter'>) {
  const inside = new WeakMap<Request, Leave>()
  return {
    /**
     * Begins the write of a request. A request that two guards let in has begun already.
     *
     * @returns undefined if it began at once; otherwise when it has begun: whoever sent it must be judged anew.
     * @throws ApiError `read_only`.
     */
    enter(request: Request, storeId: string): Promise<void> | undefined {
      if (inside.has(request)) return undefined
      const entered = gate.enter(storeId)
      if (entered instanceof Promise) return entered.then((leave) => void inside.set(request, leave))
      inside.set(request, entered)
      return undefined
    },
    /** Ends the write of a request that is answered or has failed. */
    release(request: Request): void {
      const leave = inside.get(request)
      if (!leave) return
      inside.delete(request)
      leave()
    },
  }
}

/** Ends the writes of requests that are answered or have failed. Mounted before the error plugin. */
export const writeGatePlugin = ({ release }: Pick<RequestGate, 'release'>) =>
  new Elysia({ name: 'http.writeGate' })
    .onError({ as: 'global' }, ({ request }) => release(request))
    .onAfterResponse({ as: 'global' }, ({ request }) => release(request))
