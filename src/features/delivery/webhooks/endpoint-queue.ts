import { type Claim, createPlaceCount } from '../../../core/place-count.ts'
import type { ShareLimits } from '../../../core/shares.ts'

/** The deliveries that wait for one endpoint. */
interface Endpoint {
  id: string
  storeId: string
  /** Unix ms before which nothing of it is due. */
  dueAt: number
  /** Ids of deliveries that are being sent, or whose result is not written yet. */
  held: Set<string>
  /** How its last attempt went; unknown before the first. */
  health: 'unknown' | 'working' | 'failing'
}

/** Most deliveries at the same time. */
export interface EndpointLimits {
  deliveries: ShareLimits
  /** To one endpoint that works; any other gets one delivery at a time. */
  perEndpoint: number
  /** To failing endpoints, as a part of the deliveries. */
  failing: ShareLimits
}

/**
 * Failing endpoints never hold more than half, so that slow ones leave room for the others. A store's first places are its own:
 * receivers that answer late but well do not fail.
 */
const LIMITS: EndpointLimits = {
  deliveries: { max: 256, perOwnerMax: 16, firstMax: 4, extraMax: 48 },
  perEndpoint: 4,
  failing: { max: 128, perOwnerMax: 8, firstMax: 2, extraMax: 24 },
}

/**
 * Decides whose delivery goes next: bounded in all, for each store and for each endpoint, so that neither a receiver that
 * hangs nor a store with many deliveries holds up the others.
 */
export function createEndpointQueue(limits: EndpointLimits = LIMITS) {
  const endpoints = new Map<string, Endpoint>()
  /** Deliveries in flight; those to failing endpoints are the bulk of them. */
  const places = createPlaceCount([limits.deliveries, { ...limits.failing, only: 'bulk' }])
  const claimOf = ({ storeId, health }: Endpoint): Claim => ({ store: storeId, isBulk: health === 'failing' })

  const isFree = (endpoint: Endpoint): boolean =>
    endpoint.held.size < (endpoint.health === 'working' ? limits.perEndpoint : 1) &&
    places.fits(claimOf(endpoint))

  /** Whether one endpoint goes before another: the store with less in flight, then the one that has waited longer. */
  function isBefore(endpoint: Endpoint, other: Endpoint): boolean {
    const difference = places.held(endpoint.storeId) - places.held(other.storeId)
    return difference === 0 ? endpoint.dueAt < other.dueAt : difference < 0
  }

  return {
    /** Something of an endpoint is due at a time, in Unix ms. */
    expect(id: string, storeId: string, dueAt: number): void {
      const endpoint = endpoints.get(id)
      if (endpoint) endpoint.dueAt = Math.min(endpoint.dueAt, dueAt)
      else endpoints.set(id, { id, storeId, dueAt, held: new Set(), health: 'unknown' })
    },

    /** The endpoint to serve next; undefined if none is due or may be. */
    choose(now: number): Endpoint | undefined {
      let chosen: Endpoint | undefined
      for (const endpoint of endpoints.values()) {
        if (endpoint.dueAt > now || !isFree(endpoint)) continue
        if (!chosen || isBefore(endpoint, chosen)) chosen = endpoint
      }
      return chosen
    },

    /** Puts an endpoint off until a time; undefined if it has nothing more to send. */
    postpone(endpoint: Endpoint, dueAt: number | undefined): void {
      endpoint.dueAt = dueAt ?? Infinity
      if (dueAt === undefined && endpoint.held.size === 0) endpoints.delete(endpoint.id)
    },

    /**
     * Takes a place for a delivery.
     *
     * @returns gives the place back; the delivery stays held until `release`.
     */
    start(endpoint: Endpoint, id: string): (hasFailed: boolean) => void {
      endpoint.held.add(id)
      const held = places.take(claimOf(endpoint))
      return (hasFailed) => {
        for (const place of held) place.release()
        endpoint.health = hasFailed ? 'failing' : 'working'
      }
    },

    /** Its result is written: the endpoint may look at the delivery again. */
    release(endpoint: Endpoint, id: string, now: number): void {
      endpoint.held.delete(id)
      endpoint.dueAt = Math.min(endpoint.dueAt, now)
    },

    /**
     * When the next endpoint becomes due, in Unix ms; Infinity for none. An endpoint that is due already waits for a place:
     * the scheduler looks again when one becomes free.
     */
    findNextDue(now: number): number {
      let next = Infinity
      for (const { dueAt } of endpoints.values()) if (dueAt > now && dueAt < next) next = dueAt
      return next
    },
  }
}
