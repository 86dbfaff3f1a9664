import type { Member } from '#generated/api.ts'
import { loadTexts } from '../../../language.ts'

export const t = await loadTexts({
  en: () => import('./en.ts'),
  de: () => import('./de.ts'),
  es: () => import('./es.ts'),
  fr: () => import('./fr.ts'),
  it: () => import('./it.ts'),
  nl: () => import('./nl.ts'),
  pl: () => import('./pl.ts'),
  pt: () => import('./pt.ts'),
})

/** The roles, most powerful first. */
export const ROLES = Object.keys(t.roles) as Member['role'][]
