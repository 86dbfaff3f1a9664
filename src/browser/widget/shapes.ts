/** The contract between the loader and the main file, and the calls of a shop's page. */
import type { Client } from './loader/client.ts'
import type { Options } from './loader/options.ts'
import type { Tracking } from './loader/tracking.ts'

/** The first search of an opened dialog. Without any of these fields the dialog is empty. */
export interface OpenRequest {
  /** A picture, as a file or as bytes. */
  file?: Blob
  /** Address of a picture, `http:` or `https:`. */
  url?: string
  /** A product of the store: finds those that look like it. With `url`, the picture to take if the service does not know it. */
  product_id?: string
  /** Words. */
  query?: string
  /** A drop on the page, in which the main file finds the picture. */
  dropped?: Dropped
}

/** The content of a drop, as the browser hands it over. */
export interface Dropped {
  files: File[]
  /** The markup that was dragged, or an empty text. */
  html: string
  /** Addresses, one a line, or an empty text. */
  addresses: string
}

/** The powers that the loader hands to the main file. */
export interface Context {
  options: Options
  root: ShadowRoot
  client: Client
  tracking: Tracking
  /** Dispatches an event at the document. @returns false if a listener prevented the default. */
  emit(name: EventName, detail?: object, isCancelable?: boolean): boolean
  /** Makes sure that the page shows what is in the root, whatever it does with the button. */
  shelter(): void
}

export type EventName = 'open' | 'results' | 'select' | 'error'

/** The dialog, as the main file hands it to the loader. */
export interface Panel {
  open(request: OpenRequest, opener: HTMLElement | null): void
  close(): void
  /** The page may have moved or removed the root: what was a modal dialog is one again, or closes. */
  settle(): void
  destroy(): void
  /** Fills a place of the page with its rows of products. */
  fill(place: HTMLElement): void
  /** Completes what is typed into a field of the page. */
  complete(field: HTMLInputElement): void
}

/** The main file, as the loader imports it. */
export interface MainFile {
  start(context: Context): Panel
}

/** One hit of an answer, as far as the widget reads it. */
export interface Hit {
  product_id: string
  similarity_score?: number
  metadata?: Record<string, unknown>
  image_url?: string | null
  sold_out?: boolean
  /** Of a hit that stands for a group: the variant that looks most like the query. */
  matched_variant?: { url?: unknown; name?: unknown; price?: unknown } | null
}

/** A rectangle relative to the picture, 0 to 1, from its upper left corner. */
export interface Box {
  x: number
  y: number
  width: number
  height: number
}

/** An answer of the service to a search, as far as the widget reads it. */
export interface Answer {
  search_id?: string
  image_id?: string
  results: Hit[]
  popular?: Hit[]
  regions?: { box: Box; category?: string }[]
  query_categories?: { name: string; score: number }[]
  query_words?: { word: string; weight: number }[]
  did_you_mean?: string
  /** What a row is made of; only `purchases` were bought together. */
  basis?: 'purchases' | 'clicks' | 'similar'
  /** Where the shop wants these words to lead. */
  redirect_url?: string
  /** Values of fields with their counts; a range of numbers is no list. */
  facets?: Record<string, { value: string | number | boolean; count: number }[] | object>
}
