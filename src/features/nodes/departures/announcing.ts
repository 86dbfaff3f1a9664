import { ApiError } from '../../../core/errors.ts'
import type { Base } from '../../module.ts'
import type { ArrivingMoveBegun, ArrivingMoveInput } from '../protocol/schema.ts'
import { announce, createTarget, Refusal } from './target.ts'
import type { OpenNodeClient } from './world.ts'

export interface AnnouncingDeps extends Pick<Base, 'log' | 'defer'> {
  openClient: OpenNodeClient
  stop: AbortSignal
}

/** How long the other node may think about taking a store. */
const ANNOUNCE_MS = 15_000

/** Asks other nodes whether they take a store. */
export function createAnnouncing({ openClient, stop, log, defer }: AnnouncingDeps) {
  /** @throws ApiError `node_refused`, `node_unreachable` */
  async function ask(
    address: { url: string; fingerprint: string },
    announcement: ArrivingMoveInput,
  ): Promise<ArrivingMoveBegun> {
    const signal = AbortSignal.any([stop, AbortSignal.timeout(ANNOUNCE_MS)])
    try {
      return await announce(openClient(address, signal), announcement)
    } catch (error) {
      if (error instanceof Refusal) {
        throw new ApiError(error.isPassing ? 'node_unreachable' : 'node_refused', error.message, {
          details: { reason: error.code, status: error.status },
        })
      }
      const words = error instanceof Error ? error.message : String(error)
      log.warn({ err: error, url: address.url }, 'a node to which a store is to move cannot be reached')
      throw new ApiError('node_unreachable', `${address.url} cannot be reached: ${words}`)
    }
  }

  /** The store does not come after all: the other node need not keep a place. */
  function takeBack(
    address: { url: string; fingerprint: string },
    { move_id, token }: ArrivingMoveBegun,
  ): void {
    defer(async () => {
      const signal = AbortSignal.any([stop, AbortSignal.timeout(ANNOUNCE_MS)])
      await createTarget(openClient({ ...address, token }, signal), move_id)
        .abandon()
        // It gives up by itself what nobody goes on with.
        .catch(() => {})
    }, 0)
  }

  return { ask, takeBack }
}
