import type { ComponentChildren } from 'preact'
import { t } from '../texts/texts.ts'
import { Picture } from './picture.tsx'
import { readShown } from './product-tile.tsx'

/** A product as one line of a table: a small picture, its name and id, and what a merchant compares. */
export function ProductLine({
  id,
  src,
  metadata,
  href,
  children,
}: {
  id: string
  src: string | null
  metadata: Readonly<Record<string, unknown>>
  href: string
  children?: ComponentChildren
}) {
  const { name, category, brand, price, before, isSoldOut } = readShown(id, metadata)
  return (
    <div class={isSoldOut ? 'tile product-line sold-out' : 'tile product-line'}>
      <a href={href}>
        <Picture src={src} name={name} kind={category} />
        <span class="name" dir="auto">
          {name}
        </span>
      </a>
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
