/** Identifies the model that made a vector. Vectors of different fingerprints are never compared. */
export interface ModelFingerprint {
  /** Folder name of the model, such as `lookalike-clip-v1`. */
  id: string
  /** SHA-256 over the weights and configuration files, lower-case hex. */
  hash: string
  /** Length of every vector. */
  dimension: number
}

/** A rectangle of a picture in shares of its width and height, 0 to 1, from its upper left corner after EXIF rotation. */
export interface Box {
  x: number
  y: number
  width: number
  height: number
}

/** The part of a picture that somebody asks for; what reaches beyond the picture is cut off. */
export interface PictureCrop extends Box {
  /** `pixel` counts pixels of the picture as it was sent, after EXIF rotation. */
  unit: 'relative' | 'pixel'
  /** Added on each side, as a share of the box's width or height: 0 to 0.5. */
  padding?: number
}

/** A part of a picture that may be worth a search of its own. */
export interface Region {
  box: Box
  /** Its share of all that stands out from the background, 0 to 1. */
  score: number
}

/** Properties of a decoded picture that are kept. With a crop, hash and palette are of the cut-out. */
export interface PictureFacts {
  /** Pixels of the whole picture after EXIF rotation. */
  width: number
  height: number
  /** Detected from the first bytes: `image/jpeg`, `image/png`, `image/webp`, `image/avif` or `image/gif`. */
  contentType: string
  /** 64-bit DCT perceptual hash, 16 hex digits; similar pictures differ in few bits. */
  phash: string
  /** Up to five main colours, largest share first; shares lie in 0 to 1 and sum to at most 1. */
  palette: { hex: string; share: number }[]
}

/** Properties of a decoded picture. */
export interface SeenFacts extends PictureFacts {
  /**
   * The box around what stands on a plain background, 5 % wider on each side. Null where the background is not plain, where the
   * box would be tiny or nearly the whole picture, and with a crop whose request does not ask for regions.
   */
  object: Box | null
  /**
   * The separate objects on a plain background, at most five, the largest first; before any other background the main object, if
   * one stands out. Only if they were asked for.
   */
  regions?: Region[]
}

export interface EmbeddedPicture {
  /** `dimension` numbers of Euclidean length 1. */
  vector: Float32Array
  facts: SeenFacts
  /** WebP, its longer side at most as long as was asked for; only then, and missing where drawing it failed. */
  thumbnail?: Uint8Array
  /** JPEG or the file itself, its longer side at most 768 pixels and at most 512 KiB; only if it was asked for. */
  preview?: Uint8Array
  /** The crop as it was applied, after padding and clamping; only with one. */
  crop?: Box
}

/** A picture that was decoded and not embedded. */
export type SeenPicture = Pick<EmbeddedPicture, 'facts' | 'thumbnail'>

export interface EmbeddedText {
  vector: Float32Array
  /** The text was longer than the model's window, so its end was cut. */
  isTruncated: boolean
  /**
   * The model knows none of the words, so the vector is meaningless. Only models with a list of the tokens that they have
   * seen can tell, and those that map all others to one "unknown word"; for others it stays false.
   */
  isUnknown?: boolean
  /** The share of the words that the model does not know, 0 to 1; it is 1 where `isUnknown`. */
  unknownShare?: number
  /** The different words that the model does not know, in small letters. */
  unknownWords?: readonly string[]
  /** These, and the different words that the model has only in pieces, as it has most typos. */
  doubtfulWords?: readonly string[]
  /** Different words of the text. */
  words?: number
}

/** A shopper waits for a search, so searches precede indexing. */
export type EmbedPriority = 'search' | 'index'

/** In the queue, the work of jobs comes last: nobody waits for it. A process treats it like other indexing. */
export type QueuePriority = EmbedPriority | 'bulk'

export interface PictureOptions extends PictureExtras {
  priority: QueuePriority
  /** The owner of the picture. Stores take turns, and a store's giant pictures delay only that store. */
  storeId: string
}

/** Optional results for a picture. */
export interface PictureExtras {
  /** Also draws the picture small, for people to look at: pixels of its longer side. */
  thumbnail?: number | undefined
  /** Embeds this part only. */
  crop?: PictureCrop | undefined
  /** Also answers a copy of the whole picture for later crops. */
  preview?: boolean | undefined
  /** Also looks for the separate objects of the whole picture. */
  regions?: boolean | undefined
  /** Leaves the model out: the picture is decoded, and gets no vector. */
  isOnlySeen?: boolean | undefined
}

export type EmbedderStatus =
  | { state: 'starting' }
  /** A process of each kind has passed the self-test, or was lost a moment ago and is restarting. */
  | { state: 'ready' }
  | { state: 'failed'; reason: string }

/** The two models, each with its processes and its queue. */
export type ModelSide = 'text' | 'picture'

/** What operators want to know of the processes and their queues. */
export interface EmbedderGauges {
  /** Learns from now on how long each answered picture or text waited, and how long a process then took. */
  watch(listener: (side: ModelSide, timing: { waitMs: number; workMs: number }) => void): void
  readQueues(): Record<ModelSide, Record<QueuePriority, { tasks: number; oldestMs: number }>>
  /** Resident memory of the processes; undefined outside Linux. */
  readMemoryBytes(): Record<ModelSide, number | undefined>
}

/** Maps pictures and texts to vectors in one shared space. */
export interface Embedder {
  readonly model: ModelFingerprint
  readonly calibration: Calibration
  status(): EmbedderStatus
  /**
   * Decodes and embeds one encoded picture. Where the model's folder asks for it (`"object_mean": true` in
   * `preprocessor_config.json`), the vector of a picture that is indexed without a crop is the mean of its own and of its
   * object's, if that is small on a plain background. The call waits in the queue while others are processed, the model starts,
   * or a crashed process restarts, for at most 10 seconds at a time.
   *
   * @throws ApiError `image_unsupported_format`, `image_unreadable` (`details.cause` describes the damage),
   *   `image_too_small` or `image_too_large` for pictures that are refused, `crop_too_small` for a crop that leaves less
   *   than 32 pixels of them on a side; `overloaded` when the queue is full or the
   *   wait exceeds 10 seconds; `model_not_ready` with a retry time when the model is still starting by then, or
   *   immediately when it has failed or was closed.
   */
  embedPicture(bytes: Uint8Array, options: PictureOptions): Promise<EmbeddedPicture>
  /** Decodes a picture and leaves the model out, for a thumbnail alone. @throws ApiError as {@link embedPicture} does. */
  seePicture(bytes: Uint8Array, options: Omit<PictureOptions, 'crop' | 'isOnlySeen'>): Promise<SeenPicture>
  /**
   * Asks before a picture is read whether the queue can take it, and counts it among those on their way for a short
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
  /** What there is to measure; an embedder without processes has nothing. */
  readonly gauges?: EmbedderGauges
  /** Stops the processes; waiting calls are rejected with `model_not_ready`. */
  close(): Promise<void>
}

/** A logistic map from a raw cosine to a score: `1 / (1 + exp(-slope * (cosine - midpoint)))`. */
export interface LogisticMap {
  /** The cosine of a plausible match, score 0.5. */
  midpoint: number
  slope: number
}

/** A logistic map from the log-odds of a whole search to its score. */
export interface FinalMap extends LogisticMap {
  /**
   * Log-odds, after the map, from which they grow by their logarithm only. Words that a product has weigh much in the order of a
   * list; without a knee every product that has them would score 1.
   */
  knee?: number | undefined
}

/** Maps raw cosines of one model to comparable scores, per pair of modalities. */
export interface Calibration {
  image_image: LogisticMap
  text_image: LogisticMap
  /**
   * Corrects the scores of whole searches, by their kind: a map over the log-odds that the legs of a search give together.
   * A kind without one answers with these odds as they are.
   */
  final?: Partial<Record<FinalKind, FinalMap>>
  /** The languages that the model knows; without them English alone. Queries in other languages are translated for it. */
  languages?: readonly string[] | undefined
}

/** The kinds of search whose scores are fitted apart. */
export type FinalKind = 'text' | 'picture' | 'hybrid' | 'fusion'
