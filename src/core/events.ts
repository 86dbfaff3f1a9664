/** The events that a store can subscribe to, each with the `data` that its receivers get. Moments are ISO 8601 in UTC. */
export interface EventData {
  /** A product was indexed under a new id. */
  'product.indexed': {
    product_id: string
    vector_id: string
    image_url: string
    metadata: Record<string, unknown>
    indexed_at: string
  }
  /** At least one field of a product has a new value. */
  'product.updated': {
    product_id: string
    /** Names of the changed fields, as in `image_url` and `metadata.price`. */
    changes: string[]
    /** null when the address is the same as before. */
    previous_image_url: string | null
    new_image_url: string | null
    updated_at: string
  }
  'product.deleted': { product_id: string; deleted_at: string }
  /** The picture of a new or changed product is nearly that of another one. */
  'product.duplicate_detected': {
    new_product_id: string
    existing_product_id: string
    similarity_score: number
    new_image_url: string
    existing_image_url: string
    detected_at: string
  }
}

export type EventName = keyof EventData

/** Where a change comes from. Webhooks tell of changes by clients; of others only if the store asks for them. */
export type EventOrigin = 'client' | 'demo' | 'reembedding' | 'restore'

/** An event of one store. */
export type StoreEvent = {
  [Name in EventName]: { name: Name; storeId: string; origin: EventOrigin; data: EventData[Name] }
}[EventName]

/** Writes an event down; meant to be called inside the transaction that causes it, and lost with it. */
export type EmitEvent = (event: StoreEvent) => void

/** An event as the change log of its store holds it. */
export interface RecordedChange {
  storeId: string
  /** Place in the store's own sequence, which starts at 1 and has no gaps. */
  number: number
  event: EventName
  origin: EventOrigin
}

/** Learns of each recorded change, inside the transaction that makes it. */
export type ReadChange = (change: RecordedChange) => void
