import type { NamedStore } from '#generated/api.ts'
import { hrefOfStore } from './store-address.ts'
import { t } from './texts/texts.ts'

/** The store of a row, as the way to it; work of the node belongs to none. */
export const StoreLink = ({ store }: { store: NamedStore | null }) =>
  store ? <a href={hrefOfStore(store.id)}>{store.slug}</a> : t.installation
