import { makeWord } from '../../../src/commands/model-proof/drawn.ts'
import type { LabelledPicture } from './sets.ts'
import { COLOUR_WORDS, KIND_WORDS } from './vocabulary.ts'

/**
 * What a shop writes about its products.
 *
 * - `all`: the names of the set, with category, colour and variant group; `none` nothing; `category` nothing but the kind;
 *   `uncoloured` no colours; `departments` broad categories.
 * - `plain`, `german`, `french`: names such as "Blue mug 0.3 l".
 * - `fantasy`: names such as "KALLAX" that do not say the kind, one for each design.
 * - `sku`: model numbers such as "MG-2041-BL".
 * - `basic`: one name for all products of a kind, such as "Mug Basic".
 * - `nameless`: fantasy names in departments, so nothing says the kind.
 * - `mixed`: a street of such shops, each with its own habit, and half of them with departments.
 */
export const SHOPS = [
  ...(['all', 'none', 'category', 'uncoloured', 'departments'] as const),
  ...(['plain', 'german', 'french', 'fantasy', 'sku', 'basic', 'nameless', 'mixed'] as const),
]
export type Shop = (typeof SHOPS)[number]

/** @throws Error for another name. */
function readShop(name: string): Shop {
  const shop = SHOPS.find((known) => known === name)
  if (!shop) throw new Error(`A shop is one of ${SHOPS.join(', ')}`)
  return shop
}

/** @param names separated by commas. */
export const readShops = (names: string): Shop[] => names.split(',').map(readShop)

const DEPARTMENTS: Readonly<Record<string, readonly string[]>> = {
  'Home & Living': [
    ...[
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
      'pillow',
    ],
    ...[
      'pot',
      'teapot',
      'wineglass',
      'spoon',
      'knife',
      'pan',
      'candle',
      'mirror',
      'basket',
      'stool',
      'planter',
    ],
  ],
  Fashion: [
    ...['shirt', 'dress', 'trousers', 'skirt', 'shoe', 'boot', 'hat', 't shirt', 'sneakers', 'shoes'],
    ...['scarf', 'jacket', 'sock'],
  ],
  Accessories: [
    ...['backpack', 'handbag', 'umbrella', 'sunglasses', 'watch', 'bag', 'bags', 'necklace', 'suitcase'],
  ],
}

const departmentOf = (kind: string): string =>
  Object.entries(DEPARTMENTS).find(([, kinds]) => kinds.includes(kind))?.[0] ?? 'More'

/** The same number for the same text, evenly spread. */
const numberOf = (text: string): number => Number(BigInt(Bun.hash(text)) % 1_000_003n)

const capital = (word: string): string => word.charAt(0).toUpperCase() + word.slice(1)

const germanOf = (kind: string): string => KIND_WORDS[kind]?.german ?? kind
const frenchOf = (kind: string): string => KIND_WORDS[kind]?.french ?? kind

/** A size, as shops write it behind a name; the colours of a design share it. */
function sizeOf(group: string): string {
  const n = numberOf(group)
  return ['0.3 l', '40 cm', 'No. 7', 'M', '30 x 20 cm', 'Set of 2', ''][n % 7] as string
}

/** "mug" and 2041 give "MG-2041". */
function modelNumber(kind: string, group: string): string {
  const [first = 'X', ...others] = kind.toUpperCase().replaceAll(/[^A-Z]/g, '')
  const second = others.find((letter) => !'AEIOU'.includes(letter)) ?? others[0] ?? 'X'
  return `${first}${second}-${1000 + (numberOf(group) % 9000)}`
}

interface Description {
  name: string
  category: string
  color: string
}

/** How shops write about a product of which its labels are known. */
const HABITS = {
  plain: ({ category, color, group }) => ({
    name: capital(`${color} ${category} ${sizeOf(group)}`.trim()),
    ...{ category, color },
  }),
  german: ({ category, color, group }) => ({
    name: `${germanOf(category)} ${COLOUR_WORDS[color]?.german ?? color} ${sizeOf(group).replace('.', ',')}`.trim(),
    ...{ category: germanOf(category), color: COLOUR_WORDS[color]?.german ?? color },
  }),
  french: ({ category, color, group }) => ({
    name: capital(`${frenchOf(category)} ${COLOUR_WORDS[color]?.french ?? color} ${sizeOf(group)}`.trim()),
    ...{ category: capital(frenchOf(category)), color: COLOUR_WORDS[color]?.french ?? color },
  }),
  fantasy: ({ category, color, group }) => ({
    name: makeWord(numberOf(group)).toUpperCase(),
    ...{ category, color },
  }),
  sku: ({ category, color, group }) => ({
    name: `${modelNumber(category, group)}-${COLOUR_WORDS[color]?.code ?? color.slice(0, 2).toUpperCase()}`,
    ...{ category, color },
  }),
  basic: ({ category, color }) => ({ name: `${capital(category)} Basic`, category, color }),
} satisfies Record<string, (labels: LabelledPicture) => Description>

const STREET = Object.values(HABITS)

function describeBy(shop: Shop, labels: LabelledPicture): Description {
  const { name, category, color, group } = labels
  const inDepartment = departmentOf(category)
  switch (shop) {
    case 'none':
      return { name: '', category: '', color: '' }
    case 'category':
      return { name: '', category, color: '' }
    case 'uncoloured':
      return { name, category, color: '' }
    case 'departments':
      return { name, category: inDepartment, color }
    case 'all':
      return { name, category, color }
    case 'nameless':
      return { ...HABITS.fantasy(labels), category: inDepartment }
    case 'mixed': {
      const n = numberOf(`shop of ${group}`)
      const described = (STREET[n % STREET.length] as (typeof STREET)[number])(labels)
      return n % 2 === 0 ? described : { ...described, category: inDepartment }
    }
    default:
      return HABITS[shop](labels)
  }
}

/** The metadata of a product; `article` is there for the filters of questions alone. */
export function describe(labels: LabelledPicture, shop: Shop): Record<string, string> {
  const { name, category, color } = describeBy(shop, labels)
  const isBare = shop === 'none' || shop === 'category'
  const all = {
    ...{ name, category, color_name: color, article: labels.article },
    variant_group: isBare ? '' : labels.group,
  }
  return Object.fromEntries(Object.entries(all).filter(([, value]) => value !== ''))
}
