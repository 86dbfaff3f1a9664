import { ApiError } from '../../../core/errors.ts'

/** How to see what would be sent, for those who have no receiver with an address of its own yet. */
const INBOX = '; `lookalike inbox` shows the messages without a receiver'

/** Failures of a look-up that may be over when something is sent. */
const PASSING: readonly unknown[] = ['dns', 'timeout']

/** Whether the address of a webhook may be used; a name is looked up. */
export type CheckHost = (storeId: string, url: string) => Promise<string[]>

/**
 * Checks an address by the egress of messages.
 *
 * @throws ApiError `url_not_allowed` with the egress's message.
 */
export function askEgress<Result>(ask: () => Result): Result {
  try {
    return ask()
  } catch (error) {
    throw toRefusal(error)
  }
}

/**
 * Creates the check of an address whose name is looked up. A name that leads nowhere may be one that is being set up.
 *
 * @param resolve looks the name up and checks where it leads.
 * @returns the check: it gives warnings, and throws ApiError `url_not_allowed`.
 */
export const createHostCheck =
  (resolve: (storeId: string, url: string) => Promise<void>): CheckHost =>
  async (storeId, url) => {
    try {
      await resolve(storeId, url)
      return []
    } catch (error) {
      if (!PASSING.includes(readReason(error))) throw toRefusal(error)
      const { hostname } = new URL(url)
      return [`the host ${hostname} was not found; nothing arrives until its name leads to an address`]
    }
  }

const readReason = (error: unknown): unknown => (error as { reason?: unknown }).reason

function toRefusal(error: unknown): unknown {
  if (readReason(error) === undefined) return error
  return new ApiError('url_not_allowed', (error as Error).message + INBOX, { cause: error })
}
