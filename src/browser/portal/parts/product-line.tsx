import { t } from '../texts/texts.ts'
import { ProductLink, type ProductProps, readShown } from './product-tile.tsx'

/** A product as one line of a table: a small picture, its name and id, and what a merchant compares. */
export function ProductLine({ id, src, metadata, href, children }: ProductProps) {
  const shown = readShown(id, metadata)
  const { category, brand, price, before, isSoldOut } = shown
  return (
    <div class={isSoldOut ? 'tile product-line sold-out' : 'tile product-line'}>
      <ProductLink shown={shown} src={src} href={href} />
      <span class="muted wide" dir="auto">
        {id}
      </span>
      <span class="wide" dir="auto">
        {category}
      </span>
      <span class="wide" dir="auto">
        {brand}
      </span>
      <span class="price">
        {price} {before !== null && <s>{before}</s>}
        {isSoldOut && <span class="state muted"> {t.soldOut}</span>}
        {children}
      </span>
    </div>
  )
}
