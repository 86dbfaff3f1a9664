/** A row that has changed since the capture began. */
export interface CapturedRow {
  seq: number
  table: string
  key: readonly (string | number)[]
}

/** Where a walk over the rows of a store goes on; it goes into JSON. */
export type Cursor = unknown

/** Rows and their sums, by table. */
export type Digest = Readonly<Record<string, { rows: number; sum: string }>>

/** Notes which rows of a store change while it moves. */
export interface MoveCapture {
  /** Call it in the transaction in which the move begins. */
  begin(storeId: string): void
  end(storeId: string): void
  count(storeId: string): number
  /** The oldest first, each row once. */
  take(storeId: string, max: number): CapturedRow[]
  forget(storeId: string, upToSeq: number): void
  /** Ends every capture but those of these stores. */
  endOthers(storeIds: readonly string[]): void
}

/** Reads the rows of a store for its move. */
export interface MoveReader {
  /** @param tables only these; by default all that travel. */
  walk(
    storeId: string,
    after: Cursor | undefined,
    maxBytes: number,
    tables?: readonly string[],
  ): { lines: string[]; next: Cursor | undefined }
  /** Drops what an unfinished walk has left in memory. */
  forget(storeId: string): void
  readCaptured(storeId: string, rows: CapturedRow[]): string[]
  /** Content hashes of kept files in their order. */
  listPictureFiles(storeId: string, after: string | undefined, max: number): string[]
  /** Content hashes of the kept files that lines name. */
  picturesOf(lines: readonly string[]): string[]
}

/** Sums up the rows of a store, and then only those that have changed. */
export interface MoveDigest {
  /** Reads everything once, in steps. */
  prepare(storeId: string): Generator<void>
  /** Says which rows have changed. */
  touch(storeId: string, rows: readonly CapturedRow[]): void
  /** Reads what was touched again, in steps, so that the next {@link read} is short. */
  refresh(storeId: string): Generator<void>
  read(storeId: string): Digest
  forget(storeId: string): void
}

/** What the target answers. */
export interface NodeAnswer {
  status: number
  json: unknown
}

export interface NodeRequest {
  body?: Uint8Array | string
  json?: unknown
  query?: Readonly<Record<string, string | number>>
}

/** Calls one other node, whose certificate is known. */
export interface NodeClient {
  /** @throws Error if it cannot be reached, or has another certificate. */
  call(method: 'GET' | 'POST' | 'PUT' | 'DELETE', path: string, request?: NodeRequest): Promise<NodeAnswer>
}

export interface NodeAddress {
  url: string
  /** Of its certificate, in hex: the first 16 bytes of the SHA-256. */
  fingerprint: string
  token?: string
}

export type OpenNodeClient = (address: NodeAddress, stop: AbortSignal) => NodeClient

/** Holds the writes and the background work of a store. */
export interface MoveGate {
  /** Resolves when those in flight have ended; new ones wait. */
  pause(storeId: string): Promise<void>
  resume(storeId: string): void
}

export type StoreMoveState = 'moving' | 'paused' | 'switching' | 'moved'

export interface Hit {
  product_id: string
  similarity_score: number
}
