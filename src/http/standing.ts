import type { Caller, Identity, RightCheck } from '../core/actor.ts'
import { ApiError } from '../core/errors.ts'

/** Numbers of the states of everything that rights depend on: equal ones mean that nothing has changed. */
export interface Moments {
  /** That of the state in which a caller was found just now, or of an older one. */
  seenMoment(): number
  /** That of the present state. */
  readMoment(): number
}

/** A caller of a request, and a way to find it once more. */
export interface Stand {
  caller: Caller
  /**
   * The caller as it is now.
   *
   * @throws ApiError what its credential is refused with now.
   */
  again(): Caller
}

/**
 * Lets a caller in, and holds it to its rights while its request lasts. As long as nothing has changed, a further look costs
 * no more than reading that.
 *
 * @param find finds the caller. @throws ApiError for a credential that is refused.
 */
export function standFor(find: () => Identity, moments: Moments): Stand {
  const first = find()
  let seen = moments.seenMoment()
  const checks: RightCheck[] = []
  const hasChanged = () => moments.readMoment() !== seen

  const caller: Caller = {
    ...first,
    demand(check) {
      check(first)
      checks.push(check)
    },
    demandStill() {
      if (!hasChanged()) return
      const now = find()
      demandSameStore(first, now)
      for (const check of checks) check(now)
      seen = moments.seenMoment()
    },
  }

  return {
    caller,
    again() {
      if (!hasChanged()) return caller
      const now = standFor(find, moments).caller
      demandSameStore(first, now)
      return now
    },
  }
}

/** A person who names no store acts for the only one they belong to: by now that may be another. */
function demandSameStore(before: Identity, now: Identity): void {
  if (before.storeId === null || before.storeId === now.storeId) return
  throw new ApiError('not_a_member', 'You no longer act for the store that this request began with')
}
