/** Identifies the model that made a vector. Vectors of different fingerprints are never compared. */
export interface ModelFingerprint {
  /** Folder name of the model, such as `lookalike-clip-v1`. */
  id: string
  /** SHA-256 over the weights and configuration files, lower-case hex. */
  hash: string
  /** Length of every vector. */
  dimension: number
}

/** Properties of a decoded picture. */
export interface PictureFacts {
  /** Pixels after EXIF rotation. */
  width: number
  height: number
  /** Detected from the first bytes: `image/jpeg`, `image/png`, `image/webp`, `image/avif` or `image/gif`. */
  contentType: string
  /** 64-bit DCT perceptual hash, 16 hex digits; similar pictures differ in few bits. */
  phash: string
  /** Up to five main colours, largest share first; shares lie in 0 to 1 and sum to at most 1. */
  palette: { hex: string; share: number }[]
}

export interface EmbeddedPicture {
  /** `dimension` numbers of Euclidean length 1. */
  vector: Float32Array
  facts: PictureFacts
  /** WebP, its longer side at most 128 pixels; only if it was asked for. */
  thumbnail?: Uint8Array
}

export interface EmbeddedText {
  vector: Float32Array
  /** The text was longer than the model's window, so its end was cut. */
  isTruncated: boolean
  /**
   * The model knows none of the words, so the vector is meaningless. Only models that map all words without training
   * text to one "unknown word" can tell; for others it stays false.
   */
  isUnknown?: boolean
}

/** A shopper waits for a search, so searches precede indexing. */
export type EmbedPriority = 'search' | 'index'

/** In the queue, the work of jobs comes last: nobody waits for it. A process treats it like other indexing. */
export type QueuePriority = EmbedPriority | 'bulk'

export interface PictureOptions {
  priority: QueuePriority
  /** The owner of the picture. Stores take turns, and a store's giant pictures delay only that store. */
  storeId: string
  /** Makes the picture small, too, for people to look at. */
  thumbnail?: boolean
}

export type EmbedderStatus =
  | { state: 'starting' }
  /** A process of each kind has passed the self-test, or was lost a moment ago and is restarting. */
  | { state: 'ready' }
  | { state: 'failed'; reason: string }

/** Maps pictures and texts to vectors in one shared space. */
export interface Embedder {
  readonly model: ModelFingerprint
  readonly calibration: Calibration
  status(): EmbedderStatus
  /**
   * Decodes and embeds one encoded picture. The call waits in the queue while others are processed, the model starts,
   * or a crashed process restarts, for at most 10 seconds at a time.
   *
   * @throws ApiError `image_unsupported_format`, `image_unreadable` (`details.cause` describes the damage),
   *   `image_too_small` or `image_too_large` for pictures that are refused; `overloaded` when the queue is full or the
   *   wait exceeds 10 seconds; `model_not_ready` with a retry time when the model is still starting by then, or
   *   immediately when it has failed or was closed.
   */
  embedPicture(bytes: Uint8Array, options: PictureOptions): Promise<EmbeddedPicture>
  /**
   * Asks before a picture is read whether the queue has room for it, and counts it among those on their way for a short
   * time. It holds no place.
   *
   * @param bytes the announced size.
   * @returns ends the announcement, once the picture is here or will not come; a second call does nothing.
   * @throws ApiError `overloaded` when {@link embedPicture} would throw it.
   */
  announcePicture(bytes: number, options: PictureOptions): () => void
  /**
   * Embeds a text; waits for a starting model like {@link embedPicture}.
   *
   * @throws ApiError `overloaded` or `model_not_ready`, like {@link embedPicture}.
   */
  embedText(text: string, priority: EmbedPriority): Promise<EmbeddedText>
  /** Stops the processes; waiting calls are rejected with `model_not_ready`. */
  close(): Promise<void>
}

/** A logistic map from a raw cosine to a score: `1 / (1 + exp(-slope * (cosine - midpoint)))`. */
export interface LogisticMap {
  /** The cosine of a plausible match, score 0.5. */
  midpoint: number
  slope: number
}

/** Maps raw cosines of one model to comparable scores, per pair of modalities. */
export interface Calibration {
  image_image: LogisticMap
  text_image: LogisticMap
}
