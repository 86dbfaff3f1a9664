import { Elysia } from 'elysia'
import type { ByteBudget, Room } from '../core/byte-budget.ts'
import { LIMITS } from '../core/limits.ts'

/** Decides which bodies are read now. */
export interface Intake {
  /** Says whose request it is, before its body is read. */
  nameOwner(request: Request, owner: string): void
  /**
   * Takes room for a body until its request is over; a small one needs none.
   *
   * @param bytes the announced length, or the most that the route takes.
   * @throws ApiError `overloaded` when too much is under way, of everybody or of the owner.
   */
  admit(request: Request, bytes: number): Room | undefined
  /** Longest time for an admitted body of so many bytes to come. */
  patienceMs(bytes: number): number
}

/** Bodies take their room from the same budget as downloads. */
export function createIntake(budget: ByteBudget) {
  const owners = new WeakMap<Request, string>()
  const rooms = new WeakMap<Request, Room>()
  const intake: Intake = {
    nameOwner(request, owner) {
      owners.set(request, owner)
    },
    admit(request, bytes) {
      if (bytes <= LIMITS.bodyBytesUncounted) return undefined
      const room = budget.take(owners.get(request) ?? '', bytes, LIMITS.bodyBytesInFlightMax)
      rooms.set(request, room)
      return room
    },
    patienceMs: (bytes) => LIMITS.bodyGraceMs + (bytes / LIMITS.bodyBytesPerSecondMin) * 1_000,
  }
  /** Gives the room of a request back, which is over. */
  const release = (request: Request): void => rooms.get(request)?.release()
  return { intake, release }
}

/** Gives every parser its `intake`, and every room back once the request is answered or has failed. Mounted before errors are answered. */
export const intakePlugin = ({ intake, release }: ReturnType<typeof createIntake>) =>
  new Elysia({ name: 'http.intake' })
    .decorate('intake', intake)
    .onError({ as: 'global' }, ({ request }) => release(request))
    .onAfterResponse({ as: 'global' }, ({ request }) => release(request))
