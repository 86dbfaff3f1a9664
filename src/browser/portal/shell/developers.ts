import type { Me } from '#generated/api.ts'
import { keepView, readView } from '../look-settings.ts'
import { signal } from '../signal.ts'

/** What the person has chosen in this browser; null for nothing. */
export const developersChoice = signal<boolean | null>(readView().developers ?? null)

export function chooseForDevelopers(isOn: boolean): void {
  developersChoice.set(isOn)
  keepView({ ...readView(), developers: isOn })
}

/** Whether pages for developers are in the navigation: unless somebody chose otherwise, for developers and operators alone. */
export const showsDevelopers = (choice: boolean | null, me: Me): boolean =>
  choice ?? [null, 'developer'].includes(me.active_store?.role ?? null)
