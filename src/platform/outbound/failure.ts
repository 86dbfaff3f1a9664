/** Why a request to another server failed. */
export type OutboundReason =
  | 'url_not_allowed'
  | 'blocked_address'
  | 'dns'
  | 'connect'
  | 'timeout'
  | 'tls'
  | 'too_large'

/** An expected failure on the way to another server. Callers turn it into an error code of their own feature. */
export class OutboundError extends Error {
  override readonly name = 'OutboundError'
  readonly reason: OutboundReason

  /** @param message safe to show to the client: contains no address from a lookup and nothing the server sent. */
  constructor(reason: OutboundReason, message: string, cause?: unknown) {
    super(message, { cause })
    this.reason = reason
  }
}
