import { v7 } from 'uuid'

/** The only way this program makes identifiers and secrets. */
export interface Ids {
  /** A UUIDv7 (RFC 9562 §5.7): unique, and sorted by the time it was made. */
  uuid(): string
  /** `sizeBytes` of cryptographic randomness as base64url. */
  secret(sizeBytes: number): string
}

export const systemIds: Ids = {
  uuid: () => v7(),
  secret: (sizeBytes) => Buffer.from(crypto.getRandomValues(new Uint8Array(sizeBytes))).toString('base64url'),
}
