import { loadTexts } from '../language.ts'

/** The texts of the shell, in the language of the browser. */
export const t = await loadTexts({ en: () => import('./en.ts'), de: () => import('./de.ts') })
