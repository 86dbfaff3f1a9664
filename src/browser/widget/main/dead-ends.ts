import type { Hit } from '../shapes.ts'
import { findAddress } from './results.ts'

/** Tells the developer once that no card of a search leads anywhere. @param template of addresses, of the tag. */
export function createDeadEndWarning(template: string | undefined): (hits: readonly Hit[]) => void {
  let hasWarned = false
  return (hits) => {
    if (hasWarned || hits.some((hit) => findAddress(hit, template))) return
    hasWarned = true
    console.warn(
      'Lookalike: no product of this search has an address. ' +
        'Set product_url_template with PATCH /v1/store/settings, or data-url="/p/{product_id}" in the tag of the widget.',
    )
  }
}
