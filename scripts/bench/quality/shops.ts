import type { LabelledPicture } from './sets.ts'

/** What a shop writes about its products. */
export const SHOPS = ['all', 'none', 'category', 'uncoloured', 'departments', 'german'] as const
export type Shop = (typeof SHOPS)[number]

/** @throws Error for another name. */
export function readShop(name: string): Shop {
  const shop = SHOPS.find((known) => known === name)
  if (!shop) throw new Error(`A shop is one of ${SHOPS.join(', ')}`)
  return shop
}

/** The kinds of the sets in German. */
export const GERMAN: Readonly<Record<string, string>> = {
  ...{
    mug: 'Tasse',
    plate: 'Teller',
    vase: 'Blumenvase',
    bottle: 'Flasche',
    lamp: 'Leuchte',
    chair: 'Stuhl',
  },
  ...{ table: 'Tisch', sofa: 'Couch', bed: 'Bett', clock: 'Uhr', shirt: 'Hemd', dress: 'Kleid' },
  ...{ trousers: 'Hose', skirt: 'Rock', shoe: 'Schuh', boot: 'Stiefel', hat: 'Hut', backpack: 'Rucksack' },
  ...{ handbag: 'Handtasche', umbrella: 'Regenschirm', sunglasses: 'Sonnenbrille', guitar: 'Gitarre' },
}

/** Other words that shoppers use for the kinds of the drawn set, and that none of its products has. */
export const OTHER_WORDS: Readonly<Record<string, string>> = {
  ...{ sofa: 'couch', mug: 'cup', trousers: 'pants', plate: 'dish', backpack: 'rucksack', handbag: 'purse' },
  ...{ lamp: 'light', pillow: 'cushion', pot: 'saucepan', shoe: 'sneaker', clock: 'timepiece', hat: 'cap' },
  ...{ sunglasses: 'shades', dress: 'gown', boot: 'footwear', table: 'desk', chair: 'seat', shirt: 'blouse' },
  ...{ bottle: 'flask', bed: 'sleeping furniture' },
}

const DEPARTMENTS: Readonly<Record<string, readonly string[]>> = {
  'Home & Living': [
    'mug',
    'plate',
    'vase',
    'bottle',
    'lamp',
    'chair',
    'table',
    'sofa',
    'bed',
    'clock',
    'cushion',
  ],
  Fashion: ['shirt', 'dress', 'trousers', 'skirt', 'shoe', 'boot', 'hat', 't shirt', 'sneakers', 'shoes'],
  Accessories: ['backpack', 'handbag', 'umbrella', 'sunglasses', 'watch', 'bag', 'bags'],
}

const departmentOf = (kind: string): string =>
  Object.entries(DEPARTMENTS).find(([, kinds]) => kinds.includes(kind))?.[0] ?? 'More'

/**
 * The metadata of a product.
 *
 * @param shop `category` says nothing but the kind, `uncoloured` leaves the colour out, `departments` has broad categories, and
 *   `german` writes names and categories in German.
 */
export function describe(
  { name, category, color, group }: LabelledPicture,
  shop: Shop,
): Record<string, string> {
  if (shop === 'none') return {}
  if (shop === 'category') return { category }
  const german = GERMAN[category] ?? category
  const all = {
    name: shop === 'german' ? name.replace(category, german) : name,
    category: shop === 'german' ? german : shop === 'departments' ? departmentOf(category) : category,
    color_name: shop === 'uncoloured' ? '' : color,
    variant_group: group,
  }
  return Object.fromEntries(Object.entries(all).filter(([, value]) => value !== ''))
}
