import type { Cells } from '../formats/record.ts'
import { columnsOf, createFinder, isFilled } from './cells.ts'
import { isColourName, readPairs, splitColours } from './colours.ts'
import { type CharBudget, countChars, type FamilyCollector, inherit, pickInherited } from './inheritance.ts'
import { noLosses } from './losses.ts'
import type { Plan } from './mapping.ts'
import { splitAddresses } from './values.ts'
import { addMember, type Reading, readVariant, startMembers, type VariantRow } from './variants.ts'
import { findReasonToHide, isShownAlone } from './visibility.ts'

interface Parent {
  id: string
  cells: Cells
  isHidden: boolean
}

interface Child {
  sku: string
  /** Its options, as its product lists them. */
  pairs: [string, string][]
}

/** The longest list of variations that is read; a product with hundreds of them stays below it. */
const LIST_CHARS_MAX = 64 * 1024

/**
 * The families of Magento: a configurable product lists the SKUs of its variations. Those that the shop does not show by
 * themselves become a part of it, with their pictures; others stay products and take from it what their own cells leave out.
 */
export function startMagentoFamilies(plan: Plan, { now }: Reading, budget: CharBudget): FamilyCollector {
  const parents = new Map<string, Parent>()
  const rows = new Map<string, VariantRow>()
  const reading = { losses: noLosses(), now }

  return {
    add(cells) {
      const find = createFinder(plan, [cells])
      const sku = find('sku')
      if (sku === undefined || find('store_view') !== undefined) return
      const children = listChildren(plan, cells)
      if (children.length > 0) {
        const picked = pickInherited(plan, cells)
        if (
          !budget.take(countChars(picked) + children.reduce((sum, child) => sum + child.sku.length + 50, 0))
        )
          return
        const parent = { id: sku, cells: picked, isHidden: findReasonToHide(plan, cells) !== undefined }
        for (const child of children) if (!parents.has(child.sku)) parents.set(child.sku, parent)
      } else if (!isShownAlone(plan, cells) && budget.take(sku.length + 500)) {
        const row = readVariant(plan, cells, cells, reading)
        const picture = findPicture(plan, cells)
        // The name of a variant is made of its options; all attributes would be a long list.
        const { name: _, ...variant } = row.variant
        const image = picture === undefined ? {} : { image_url: picture }
        if (findReasonToHide(plan, cells) !== 'not published')
          rows.set(sku, { ...row, variant: { ...variant, ...image } })
      }
    },
    done: () => ({
      place(cells) {
        const sku = createFinder(plan, [cells])('sku')
        const children = listChildren(plan, cells)
        if (children.length > 0) {
          const members = startMembers()
          for (const child of children) {
            const row = rows.get(child.sku)
            if (row) addMember(members, nameVariant(row, child), now)
          }
          const isWhole = members.variants.length > 0
          return { cells, family: isWhole ? { group: sku, members, isWhole } : {} }
        }
        const parent = sku === undefined ? undefined : parents.get(sku)
        if (!parent) return { cells, family: {} }
        if (!isShownAlone(plan, cells)) return parent.isHidden ? 'hidden' : 'merged'
        return { cells: inherit(plan, cells, parent.cells), family: { group: parent.id } }
      },
    }),
  }
}

/** Reads `sku=MH01-XS-Black,size=XS,color=Black|sku=…`. */
function listChildren(plan: Plan, cells: Cells): Child[] {
  const list = createFinder(plan, [cells])('variations')
  if (list === undefined) return []
  return list
    .slice(0, LIST_CHARS_MAX)
    .split('|')
    .flatMap((entry): Child[] => {
      const pairs = readPairs(entry)
      const sku = pairs.find(([name]) => name === 'sku')?.[1]
      return sku === undefined ? [] : [{ sku, pairs: pairs.filter(([name]) => name !== 'sku') }]
    })
}

function nameVariant(row: VariantRow, { pairs }: Child): VariantRow {
  const colour = pairs.find(([name]) => isColourName(name))?.[1]
  const name = pairs.map(([, value]) => value).join(' / ')
  return {
    ...row,
    colours: colour === undefined ? row.colours : splitColours(colour),
    variant: {
      ...row.variant,
      ...(name !== '' && { name }),
      ...(colour !== undefined && { color: colour }),
    },
  }
}

function findPicture(plan: Plan, cells: Cells): string | undefined {
  for (const column of columnsOf(plan, 'image_url')) {
    const cell = cells.get(column)?.find(isFilled)
    const [address] = cell === undefined ? [] : splitAddresses(cell)
    if (address !== undefined && address.length <= 2_000) return address
  }
  return undefined
}
