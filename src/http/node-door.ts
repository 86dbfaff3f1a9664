import { ApiError } from '../core/errors.ts'

/** How other nodes reach this one. */
export interface NodeDoor {
  /** Whether a request came over TLS to this program, and not to a proxy before it. */
  isSecure(request: Request): boolean
  /** The client's address where the request came through a listener of its own. */
  findPeer(request: Request): string | undefined
  /** The beginning of the SHA-256 of the certificate that other nodes are shown now; undefined where no node gets in. */
  readFingerprint(): Uint8Array | undefined
  /** Where other nodes reach it, as far as this node knows. */
  readAddress(): string
}

/** @throws ApiError `tls_required` */
export function demandSecure(door: Pick<NodeDoor, 'isSecure'>, request: Request): void {
  if (!door.isSecure(request))
    throw new ApiError(
      'tls_required',
      'Nodes talk to each other over TLS alone, and to no proxy between them',
    )
}
