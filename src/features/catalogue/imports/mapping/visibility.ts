import type { Cells } from '../formats/record.ts'
import { createFinder } from './cells.ts'
import { headerKey } from './headers.ts'
import type { Plan } from './mapping.ts'
import { readYesNo } from './words.ts'

const DRAFTS: ReadonlySet<string> = new Set(['draft', 'archived', 'unlisted'])

/** Says why a shop does not show a product: it is a draft, archived, private or switched off. */
export function findReasonToHide(plan: Plan, cells: Cells): string | undefined {
  const find = createFinder(plan, [cells])
  const status = headerKey(find('status') ?? '')
  if (DRAFTS.has(status)) return status
  const published = find('published')
  // Magento has 1 for shown and 2 for switched off.
  if (published !== undefined && (readYesNo(published) === false || published === '2')) return 'not published'
  if (plan.platform !== 'magento' && headerKey(find('visibility') ?? '') === HIDDEN[plan.platform])
    return 'hidden'
  return undefined
}

/** The visibility, by platform, of a product that neither the catalogue nor the search of the shop shows. */
const HIDDEN: Readonly<Partial<Record<Plan['platform'], string>>> = {
  woocommerce: 'hidden',
  prestashop: 'none',
}

/** Whether a shop shows a product by itself and not as a part of another one alone (Magento). */
export const isShownAlone = (plan: Plan, cells: Cells): boolean =>
  plan.platform !== 'magento' ||
  headerKey(createFinder(plan, [cells])('visibility') ?? '') !== 'not visible individually'
