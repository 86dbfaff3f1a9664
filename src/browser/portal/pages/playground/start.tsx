import type { Product } from '#generated/api.ts'
import { Picture } from '../../parts/picture.tsx'
import { readShown } from '../../parts/product-tile.tsx'
import { t } from './texts/texts.ts'

/** Before anybody asks: a product of the store, which has been searched already. */
export function Start({ product: { product_id, metadata, thumbnail_url } }: { product: Product }) {
  const { name, category } = readShown(product_id, metadata)
  return (
    <div class="suggested">
      <Picture src={thumbnail_url} name={name} kind={category} />
      <p>
        <strong dir="auto">{t.start(name)}</strong>
        <br />
        <span class="muted">{t.startHint}</span>
      </p>
    </div>
  )
}
