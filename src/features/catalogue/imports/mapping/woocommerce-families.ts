import type { Cells } from '../formats/record.ts'
import { createFinder } from './cells.ts'
import { type CharBudget, countChars, type FamilyCollector, inherit, pickInherited } from './inheritance.ts'
import { noLosses } from './losses.ts'
import type { Plan } from './mapping.ts'
import type { MappedProduct } from './products.ts'
import { addMember, type Members, type Reading, readVariant, startMembers } from './variants.ts'
import { findReasonToHide } from './visibility.ts'

interface Parent {
  id: NonNullable<MappedProduct['product_id']>
  cells: Cells
  isHidden: boolean
}

/**
 * The families of WooCommerce: a variation names its product by SKU or as `id:12`, is a product of its own, and takes from
 * the other one what its own cells leave out. The product costs what its cheapest variation costs.
 */
export function startWooCommerceFamilies(
  plan: Plan,
  { losses, now }: Reading,
  budget: CharBudget,
): FamilyCollector {
  const parents = new Map<string, Parent>()
  const members = new Map<string, Members>()
  /** The second reading counts what is odd. */
  const reading = { losses: noLosses(), now }
  let isFull = false
  const find = (cells: Cells) => createFinder(plan, [cells])

  /** The names by which variations refer to a product. */
  function listNames(cells: Cells): string[] {
    const [sku, id] = [find(cells)('sku'), find(cells)('id')]
    return [...(sku === undefined ? [] : [sku]), ...(id === undefined ? [] : [`id:${id}`])]
  }

  const isParent = (cells: Cells): boolean => {
    const type = find(cells)('type')
    return type === undefined || /variable/i.test(type.slice(0, 100))
  }

  function keepParent(cells: Cells): void {
    const id = find(cells)('product_id')
    const names = listNames(cells)
    if (id === undefined || names.length === 0 || !isParent(cells)) return
    const picked = pickInherited(plan, cells)
    if (!budget.take(countChars(picked) + id.length)) {
      isFull = true
      return
    }
    const parent = { id, cells: picked, isHidden: findReasonToHide(plan, cells) !== undefined }
    for (const name of names) parents.set(name, parent)
  }

  return {
    add(cells) {
      const name = find(cells)('parent')
      if (name === undefined) {
        keepParent(cells)
        return
      }
      if (findReasonToHide(plan, cells) !== undefined) return
      const known = members.get(name)
      if (!known && !budget.take(name.length)) return
      const family = known ?? startMembers()
      members.set(name, family)
      const row = readVariant(plan, cells, cells, reading)
      // A variation is a product of its own, so only what it adds to its parent is kept.
      addMember(family, { ...row, variant: {} }, now)
      family.variants = []
    },
    done: () => ({
      place(cells) {
        const name = find(cells)('parent')
        if (name === undefined) {
          const found = listNames(cells).flatMap((each) => members.get(each) ?? [])
          const [first] = found
          if (!first) return { cells, family: {} }
          return { cells, family: { group: find(cells)('product_id'), members: first } }
        }
        const parent = parents.get(name)
        if (parent?.isHidden) return 'hidden'
        if (parent) return { cells: inherit(plan, cells, parent.cells), family: { group: parent.id } }
        if (isFull) losses.unkept++
        else losses.orphans++
        return { cells, family: {} }
      },
    }),
  }
}
