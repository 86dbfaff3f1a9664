import { el } from '../dom.ts'
import type { View } from './dialog-view.ts'
import { buildSkeleton } from './results.ts'
import type { Texts } from './texts.ts'

/** The outcome of a search: a sentence, a button to go on with, and the products. */
export interface Outcome {
  /** Shows a sentence, and lets screen readers say it once. */
  say(text: string, spoken?: string): void
  /** Shows a sentence that screen readers do not hear. */
  show(text: string): void
  /** Offers to search again, with other words, or to choose another picture. */
  offer(name: 'again' | 'choose' | 'didYouMean', click: () => void, query?: string): void
  /** Shows grey shapes in the place of products. */
  showSkeleton(): void
  add(products: readonly HTMLElement[]): void
  clear(): void
}

export function createOutcome(
  root: ShadowRoot,
  { headline, status, notice, out, rest }: View,
  texts: Texts,
): Outcome {
  function show(text: string): void {
    headline.textContent = text
  }

  function say(text: string, spoken = text): void {
    show(text)
    status.textContent = spoken
  }

  return {
    say,
    show,
    offer(name, click, query = '') {
      const text = texts[name].replace('{query}', () => query)
      notice.replaceChildren(el('button', { type: 'button', class: 'plain', part: 'again', click }, text))
    },
    showSkeleton() {
      show(texts.looking)
      out.replaceChildren(buildSkeleton())
    },
    add: (products) => out.append(...products),
    clear() {
      // The focus stays in the dialog when the button that has it goes.
      if (notice.contains(root.activeElement)) rest()
      say('')
      notice.replaceChildren()
      out.replaceChildren()
    },
  }
}
