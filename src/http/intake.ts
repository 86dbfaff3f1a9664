import { Elysia } from 'elysia'
import type { ByteBudget, Reservation } from '../core/byte-budget.ts'
import { LIMITS } from '../core/limits.ts'
import type { Yielding } from '../core/shares.ts'
import type { Embedder, EmbedPriority } from '../platform/embedder/embedder.ts'
import { type Arrival, type ArrivalOptions, startArrival } from './arrival.ts'

/** Limits the bodies that are read at a time. */
export interface Intake {
  /** Records whose request it is, before its body is read. */
  nameOwner(request: Request, owner: string): void
  /**
   * Reserves bytes for a body until its request is over. A small body needs none.
   *
   * @param bytes the announced length, or the maximum of the route.
   * @param yields lets another owner's body take the bytes while this one is slow.
   * @throws ApiError `overloaded` if too many bytes are being read, of all owners or of this one.
   */
  admit(request: Request, bytes: number, yields: Yielding): Reservation
  /**
   * Asks the model's queue for a body that holds a picture, before it is read.
   *
   * @param bytes the announced length, or the maximum of the route.
   * @returns ends the announcement: call it once the body has been read, or will not be.
   * @throws ApiError `overloaded` if the queue is full.
   */
  announce(request: Request, bytes: number, priority: EmbedPriority): () => void
  /** Follows an admitted body as it arrives. */
  follow(request: Request): Arrival
}

/** Bodies and downloads share one budget. @param embedder is asked before a picture is read. */
export function createIntake(
  budget: ByteBudget,
  embedder: Pick<Embedder, 'announcePicture'>,
  arrivals: ArrivalOptions,
) {
  const owners = new WeakMap<Request, string>()
  const reservations = new WeakMap<Request, Reservation>()
  const intake: Intake = {
    nameOwner(request, owner) {
      owners.set(request, owner)
    },
    admit(request, bytes, yields) {
      const ceiling = LIMITS.bodyBytesInFlightMax
      const reservation = budget.take(owners.get(request) ?? '', bytes, { ceiling, yields })
      reservations.set(request, reservation)
      return reservation
    },
    announce: (request, bytes, priority) =>
      embedder.announcePicture(bytes, { priority, storeId: owners.get(request) ?? '' }),
    follow: ({ body }) => startArrival(body, arrivals),
  }
  /** Returns the bytes of a finished request. */
  const release = (request: Request): void => reservations.get(request)?.release()
  return { intake, release }
}

/** Gives every parser its `intake`, and returns reserved bytes once the request is answered or has failed. Mounted before the error plugin. */
export const intakePlugin = ({ intake, release }: ReturnType<typeof createIntake>) =>
  new Elysia({ name: 'http.intake' })
    .decorate('intake', intake)
    .onError({ as: 'global' }, ({ request }) => release(request))
    .onAfterResponse({ as: 'global' }, ({ request }) => release(request))
