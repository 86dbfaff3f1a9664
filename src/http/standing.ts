import type { Caller, Identity, RightCheck } from '../core/actor.ts'
import { ApiError } from '../core/errors.ts'

/** Numbers the states of everything that rights depend on: equal numbers mean that nothing has changed. */
export interface Moments {
  /** The number of the state in which a caller was just found, or of an older one. */
  seenMoment(): number
  /** The number of the current state. */
  readMoment(): number
}

/** The caller of a request, and a way to find it again. */
export interface Stand {
  caller: Caller
  /**
   * Finds the caller again.
   *
   * @throws ApiError if its credential is refused by now.
   */
  again(): Caller
}

/**
 * Lets a caller in, and holds it to its rights while its request lasts. As long as nothing has changed, another check only
 * compares two numbers.
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

/** A person who names no store acts for the only one they belong to, which may have changed. */
function demandSameStore(before: Identity, now: Identity): void {
  if (before.storeId === null || before.storeId === now.storeId) return
  throw new ApiError('not_a_member', 'You no longer act for the store that this request began with')
}
