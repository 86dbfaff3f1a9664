/** How a person wants the pages to look. Nothing else is kept in the browser. */
export interface View {
  /** Whether the navigation shows the pages for developers. */
  developers?: boolean
  language?: string
  theme?: 'light' | 'dark'
}

const KEY = 'lookalike-view'

/** Reads the settings of the view; a browser that keeps nothing has none. */
export function readView(): View {
  try {
    const { developers, language, theme } = JSON.parse(localStorage.getItem(KEY) ?? '{}') as Record<
      string,
      unknown
    >
    return {
      ...(typeof developers === 'boolean' && { developers }),
      ...(typeof language === 'string' && { language }),
      ...((theme === 'light' || theme === 'dark') && { theme }),
    }
  } catch {
    return {}
  }
}

/** Keeps the settings of the view. @returns false where the browser refuses. */
export function keepView(view: View): boolean {
  try {
    if (Object.keys(view).length === 0) localStorage.removeItem(KEY)
    else localStorage.setItem(KEY, JSON.stringify(view))
    return true
  } catch {
    return false
  }
}

/** Draws the pages in the colours that were chosen, or in those of the system. */
export function applyTheme({ theme }: View): void {
  if (theme) document.documentElement.dataset['theme'] = theme
  else delete document.documentElement.dataset['theme']
}
