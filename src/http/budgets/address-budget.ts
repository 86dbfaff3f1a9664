import type { Clock } from '../../core/clock.ts'
import { rateLimitExceeded } from '../../core/errors.ts'
import type { AddressThrottle } from '../../core/throttle.ts'
import type { Intake } from '../intake.ts'

/**
 * Spends one request from the budget of a client's address; asking again about the same request spends nothing.
 *
 * @throws ApiError `rate_limit_exceeded`.
 */
export type SpendRequest = (request: Request) => void

/** The budgets of routes that let everyone in, each by the client's address. */
export interface AddressBudgets {
  /** Requests that try a password. */
  signIn: SpendRequest
  refresh: SpendRequest
  /** Requests that send a mail to any address. */
  mail: SpendRequest
}

export interface AddressBudgetDeps {
  throttle: AddressThrottle
  /** Finds the client's address, also behind trusted proxies. */
  findAddress(request: Request): string
  clock: Clock
  /** The message of a refusal. */
  message: string
}

/** Counts requests without a sign-in by the client's address. */
export function createAddressBudget({
  throttle,
  findAddress,
  clock,
  message,
}: AddressBudgetDeps): SpendRequest {
  const counted = new WeakSet<Request>()
  return (request) => {
    if (counted.has(request)) return
    counted.add(request)
    const verdict = throttle.take(findAddress(request), clock.now())
    if (!verdict.isAllowed) throw rateLimitExceeded(message, verdict)
  }
}

/**
 * A route's parser that spends first: no byte of a request over its budget is read. A route without a parser, such as a
 * `GET`, spends in its `beforeHandle` instead.
 */
export const spendingFirst = <Parser extends (context: Parsable) => unknown>(
  spend: SpendRequest,
  parser: Parser,
): Parser =>
  Object.assign(({ request, intake }: Parsable) => {
    spend(request)
    return parser({ request, intake })
  }, parser) as Parser

interface Parsable {
  request: Request
  intake?: Intake | undefined
}
