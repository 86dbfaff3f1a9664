import { loadTexts } from '../../../language.ts'

export const t = await loadTexts({ en: () => import('./en.ts'), de: () => import('./de.ts') })
