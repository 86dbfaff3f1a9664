import type { NamedStore } from '#generated/api.ts'
import { hrefOfStore } from './store-address.ts'

/** The store of a row, as the way to it. */
export const StoreLink = ({ store: { id, slug } }: { store: NamedStore }) => (
  <a href={hrefOfStore(id)}>{slug}</a>
)
