import { sheet } from '../dom.ts'

/**
 * Lays elements over others without moving anything: each is absolute, and a rule of a constructed style sheet moves it
 * to where its anchor is.
 */
export interface Anchors {
  /** @param place of the element, in pixels from the upper left corner of the anchor. */
  add(element: HTMLElement, anchor: Element, place: (size: DOMRect) => { x: number; y: number }): void
  /** Forgets elements that have left the page, and lays the others again. */
  lay(): void
  stop(): void
}

interface Anchored {
  element: HTMLElement
  anchor: Element
  place: (size: DOMRect) => { x: number; y: number }
}

const NAME = 'data-service-anchored'

/** As finely as browsers lay out, so that what has not moved is written as before. */
const snap = (pixels: number) => `${Math.round(pixels * 64) / 64}px`

export function createAnchors(common: string): Anchors {
  let anchored: Anchored[] = []
  const rules = sheet(common)
  let frame = 0
  let count = 0
  let written = ''

  function layNow(): void {
    frame = 0
    // All reads come before the one write, so that the page is laid out once.
    const moves = anchored.map(({ element, anchor, place }) => {
      const size = anchor.getBoundingClientRect()
      const [wasX = 0, wasY = 0] = getComputedStyle(element)
        .translate.split(' ')
        .map((part) => Number.parseFloat(part) || 0)
      const at = element.getBoundingClientRect()
      const { x, y } = place(size)
      const name = element.getAttribute(NAME)
      return `[${NAME}="${name}"]{translate:${snap(size.x + x - at.x + wasX)} ${snap(size.y + y - at.y + wasY)};${size.width ? '' : 'visibility:hidden'}}`
    })
    const text = common + moves.join('')
    if (text !== written) rules.replaceSync(text)
    written = text
  }

  function lay(): void {
    anchored = anchored.filter(({ element, anchor }) => {
      if (element.isConnected && anchor.isConnected) return true
      element.remove()
      sizes.unobserve(anchor)
      return false
    })
    frame ||= requestAnimationFrame(layNow)
  }

  const sizes = new ResizeObserver(lay)
  /** A list that scrolls by itself moves its pictures but not what lies over them. */
  const follow = ({ target }: Event) => {
    if (target !== document) lay()
  }

  return {
    lay,
    add(element, anchor, place) {
      if (!document.adoptedStyleSheets.includes(rules)) {
        document.adoptedStyleSheets = [...document.adoptedStyleSheets, rules]
        sizes.observe(document.documentElement)
        addEventListener('scroll', follow, { capture: true, passive: true })
      }
      anchored = anchored.filter((one) => one.element !== element)
      count += 1
      element.setAttribute(NAME, String(count))
      anchored.push({ element, anchor, place })
      sizes.observe(anchor)
    },
    stop() {
      cancelAnimationFrame(frame)
      sizes.disconnect()
      removeEventListener('scroll', follow, { capture: true })
      for (const { element } of anchored) element.remove()
      document.adoptedStyleSheets = document.adoptedStyleSheets.filter((one) => one !== rules)
    },
  }
}
