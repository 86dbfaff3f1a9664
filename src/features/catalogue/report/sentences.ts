import { counted } from '../../../core/text.ts'
import type { FoundProduct } from './found.ts'
import type { FindingKind } from './schema.ts'

/** Says in one sentence what a finding is. */
export function sayFinding(kind: FindingKind, count: number): string {
  const products = counted(count, 'product')
  const is = count === 1 ? 'is' : 'are'
  switch (kind) {
    case 'dead_link':
      return `The picture of ${products} could not be loaded.`
    case 'shared_picture':
      return `${products} with different names ${count === 1 ? 'has' : 'have'} the same picture as others, perhaps a placeholder.`
    case 'category_mismatch':
      return `The picture of ${products} shows another category than theirs.`
    case 'color_mismatch':
      return `The picture of ${products} shows nothing of their colour.`
    case 'near_duplicate':
      return `${products} ${is} shown by the picture of an older product.`
    case 'tiny_picture':
      return `The picture of ${products} is too small to be recognised well.`
    case 'no_words':
      return `${products} ${count === 1 ? 'has' : 'have'} no name, category, brand, description or tags, so words cannot find ${count === 1 ? 'it' : 'them'}.`
  }
}

/** Says in one sentence why a product is named. */
export function sayReason(
  kind: FindingKind,
  { data, reason }: Pick<FoundProduct, 'data' | 'reason'>,
): string {
  if (reason !== undefined) return reason
  switch (kind) {
    case 'dead_link':
      return 'Its picture could not be loaded.'
    case 'shared_picture':
      return `${counted(data.products ?? 0, 'product')} with different names have this picture.`
    case 'category_mismatch':
      return `It is in "${data.category}", and its picture looks like "${data.seems}".`
    case 'color_mismatch':
      return `Its colour is "${data.color_name}", and its picture is mainly ${data.shows}.`
    case 'near_duplicate':
      return `Its picture is that of ${data.other_product_id}.`
    case 'tiny_picture':
      return `Its picture has ${data.width} × ${data.height} pixels.`
    case 'no_words':
      return 'Nothing says what it is.'
  }
}
