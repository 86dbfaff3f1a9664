import type { ComponentChildren } from 'preact'
import { formatMoney } from '../language.ts'
import { t } from '../texts/texts.ts'
import { Picture } from './picture.tsx'

/** The fields of a product that tiles show; shops send anything as metadata. */
export interface Shown {
  name: string
  category: string | undefined
  brand: string | undefined
  price: string | null
  /** The price before the sale, where there is one. */
  before: string | null
  isSoldOut: boolean
}

const asText = (value: unknown): string | undefined =>
  typeof value === 'string' && value.trim() !== '' ? value : undefined

/** Reads what a tile shows of a product. */
export function readShown(id: string, metadata: Readonly<Record<string, unknown>>): Shown {
  const { price, sale_price, currency, in_stock } = metadata
  const format = (amount: unknown) =>
    typeof amount === 'number' ? formatMoney(amount, asText(currency)) : null
  const isOnSale = typeof sale_price === 'number' && typeof price === 'number' && sale_price < price
  return {
    name: asText(metadata['name']) ?? id,
    category: asText(metadata['category']),
    brand: asText(metadata['brand']),
    price: format(isOnSale ? sale_price : price),
    before: isOnSale ? format(price) : null,
    isSoldOut: in_stock === false,
  }
}

export interface ProductProps {
  id: string
  src: string | null
  metadata: Readonly<Record<string, unknown>>
  /** Where it leads; a preview leads nowhere. */
  href?: string | undefined
  children?: ComponentChildren
}

/** The picture and the name of a product, and where they lead. */
export function ProductLink({
  shown: { name, category },
  src,
  href,
}: { shown: ReturnType<typeof readShown> } & Pick<ProductProps, 'src' | 'href'>) {
  return (
    <a href={href}>
      <Picture src={src} name={name} kind={category} />
      <span class="name" dir="auto">
        {name}
      </span>
    </a>
  )
}

/** A product as its picture, its name on two lines, and its price. */
export function ProductTile({ id, src, metadata, href, children }: ProductProps) {
  const shown = readShown(id, metadata)
  const { price, before, isSoldOut } = shown
  return (
    <div class={isSoldOut ? 'tile sold-out' : 'tile'}>
      <ProductLink shown={shown} src={src} href={href} />
      {price !== null && (
        <span class="price">
          {price} {before !== null && <s>{before}</s>}
        </span>
      )}
      {isSoldOut && <span class="state muted"> {t.soldOut}</span>}
      {children && <> {children}</>}
    </div>
  )
}
