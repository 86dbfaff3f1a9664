/** Which model made a vector. Vectors of different fingerprints are never compared. */
export interface ModelFingerprint {
  /** Folder name of the model, such as `lookalike-clip-v0`. */
  id: string
  /** SHA-256 over the weights and configuration files, lower-case hex. */
  hash: string
  /** Length of every vector. */
  dimension: number
}

/** What decoding tells about a picture. */
export interface PictureFacts {
  /** Pixels after EXIF rotation. */
  width: number
  height: number
  /** Decided by the file's first bytes: `image/jpeg`, `image/png`, `image/webp`, `image/avif` or `image/gif`. */
  contentType: string
  /** 64-bit DCT perceptual hash, 16 hex digits; near pictures differ in few bits. */
  phash: string
  /** Up to five main colours, largest share first; shares lie in 0 to 1 and sum to at most 1. */
  palette: { hex: string; share: number }[]
}

export interface EmbeddedPicture {
  /** `dimension` numbers of Euclidean length 1. */
  vector: Float32Array
  facts: PictureFacts
}

export interface EmbeddedText {
  vector: Float32Array
  /** The text was longer than the model's window and its end was not read. */
  isTruncated: boolean
  /**
   * None of the words was known to the model, so the vector says nothing about them. Only models that map all words
   * of no training text to one "unknown word" can tell; with others it stays false.
   */
  isUnknown?: boolean
}

/** A shopper waits for a search; indexing gives way to it. */
export type EmbedPriority = 'search' | 'index'

export interface PictureOptions {
  priority: EmbedPriority
  /** Whose picture it is: stores take turns, and a store's giants stand in the way of that store alone. */
  storeId: string
}

export type EmbedderStatus =
  | { state: 'starting' }
  /** A process of each kind lives and has passed the self-test, or was lost a moment ago and is on its way back. */
  | { state: 'ready' }
  | { state: 'failed'; reason: string }

/** Turns pictures and words into points of one shared space. */
export interface Embedder {
  readonly model: ModelFingerprint
  readonly calibration: Calibration
  status(): EmbedderStatus
  /**
   * Decodes and embeds one encoded picture. While others are in work, the model starts, or a process is started again
   * after a crash, the call waits in the queue, for at most 10 seconds at a time.
   *
   * @throws ApiError `image_unsupported_format`, `image_unreadable` (`details.cause` says in words what is wrong),
   *   `image_too_small` or `image_too_large` for pictures we refuse, `overloaded` when the queue is full
   *   or its turn has not come after the 10 seconds, `model_not_ready` with a time to wait when the model is still
   *   starting by then, and at once when it has failed or was closed.
   */
  embedPicture(bytes: Uint8Array, options: PictureOptions): Promise<EmbeddedPicture>
  /**
   * Embeds words; waits for a starting model like {@link embedPicture}.
   *
   * @throws ApiError `overloaded` or `model_not_ready`, like {@link embedPicture}.
   */
  embedText(text: string, priority: EmbedPriority): Promise<EmbeddedText>
  /** Stops the processes; waiting calls are rejected with `model_not_ready`. */
  close(): Promise<void>
}

/** A logistic map from raw cosine to a score: `1 / (1 + exp(-slope * (cosine - midpoint)))`. */
export interface LogisticMap {
  /** The cosine of a "plausible" match, score 0.5. */
  midpoint: number
  slope: number
}

/** How raw cosines of one model become comparable scores, per pair of modalities. */
export interface Calibration {
  image_image: LogisticMap
  text_image: LogisticMap
}
