import { Elysia } from 'elysia'
import type { ByteBudget, Room } from '../core/byte-budget.ts'
import { LIMITS } from '../core/limits.ts'
import type { Embedder, EmbedPriority } from '../platform/embedder/embedder.ts'

/** Limits the bodies that are read at a time. */
export interface Intake {
  /** Records whose request it is, before its body is read. */
  nameOwner(request: Request, owner: string): void
  /**
   * Takes room for a body until its request is over; a small body needs none.
   *
   * @param bytes the announced length, or the maximum of the route.
   * @throws ApiError `overloaded` when too many bytes are being read, of all owners or of this one.
   */
  admit(request: Request, bytes: number): Room | undefined
  /**
   * Asks the model's queue for a body that holds a picture, before it is read.
   *
   * @param bytes the announced length, or the maximum of the route.
   * @returns ends the announcement, once the body has been read or will not be; a second call does nothing.
   * @throws ApiError `overloaded` when the queue is full.
   */
  announce(request: Request, bytes: number, priority: EmbedPriority): () => void
  /** The longest time an admitted body of this size may take to arrive. */
  patienceMs(bytes: number): number
}

/** Bodies and downloads share one budget. @param embedder is asked before a picture is read. */
export function createIntake(budget: ByteBudget, embedder: Pick<Embedder, 'announcePicture'>) {
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
    announce: (request, bytes, priority) =>
      embedder.announcePicture(bytes, { priority, storeId: owners.get(request) ?? '' }),
    patienceMs: (bytes) => LIMITS.bodyGraceMs + (bytes / LIMITS.bodyBytesPerSecondMin) * 1_000,
  }
  /** Gives back the room of a finished request. */
  const release = (request: Request): void => rooms.get(request)?.release()
  return { intake, release }
}

/** Gives every parser its `intake`, and gives room back once the request is answered or has failed. Mounted before the error plugin. */
export const intakePlugin = ({ intake, release }: ReturnType<typeof createIntake>) =>
  new Elysia({ name: 'http.intake' })
    .decorate('intake', intake)
    .onError({ as: 'global' }, ({ request }) => release(request))
    .onAfterResponse({ as: 'global' }, ({ request }) => release(request))
