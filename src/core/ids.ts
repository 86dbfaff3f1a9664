/** The only source of identifiers and secrets in this program. */
export interface Ids {
  /** A UUIDv7 (RFC 9562 §5.7): unique and sortable by creation time. */
  uuid(): string
  /** `sizeBytes` cryptographically random bytes as base64url. */
  secret(sizeBytes: number): string
}

export const systemIds: Ids = {
  uuid: () => Bun.randomUUIDv7(),
  secret: (sizeBytes) => Buffer.from(crypto.getRandomValues(new Uint8Array(sizeBytes))).toString('base64url'),
}
