import type { Me } from '#generated/api.ts'
import { signal } from '../signal.ts'

const NAME = 'lookalike-for-developers'

/** What the person has chosen in this browser; null for nothing. A browser may refuse to keep anything. */
function readChoice(): boolean | null {
  try {
    const kept = localStorage.getItem(NAME)
    return kept === null ? null : kept === 'yes'
  } catch {
    return null
  }
}

export const developersChoice = signal<boolean | null>(readChoice())

export function chooseForDevelopers(isOn: boolean): void {
  developersChoice.set(isOn)
  try {
    localStorage.setItem(NAME, isOn ? 'yes' : 'no')
  } catch {
    // The choice holds as long as the page.
  }
}

/** Whether pages for developers are in the navigation: unless somebody chose otherwise, for developers and operators alone. */
export const showsDevelopers = (choice: boolean | null, me: Me): boolean =>
  choice ?? [null, 'developer'].includes(me.active_store?.role ?? null)
