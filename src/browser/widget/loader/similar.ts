import { CAMERA, el, icon } from '../dom.ts'
import type { OpenRequest } from '../shapes.ts'
import type { Anchors } from './anchors.ts'

/** The buttons of the shop's own pictures. */
const buttons = new WeakMap<HTMLElement, HTMLElement>()

// A list may show another product in the same picture later, so nothing of it is kept.
const productOf = (picture: HTMLElement) =>
  picture.closest<HTMLElement>('[data-product-id]')?.dataset['productId']

/**
 * Gives a picture of the shop a button that finds similar products, or renames the one it has.
 *
 * @param label with `{name}` in place of the product's name.
 */
export function addSimilar(
  picture: HTMLElement,
  anchors: Anchors,
  label: string,
  open: (request: OpenRequest, opener: HTMLElement) => void,
): void {
  const name = picture.getAttribute('alt') || productOf(picture) || ''
  const text = label.replace('{name}', () => name)
  const known = buttons.get(picture)
  if (known?.isConnected) {
    known.setAttribute('aria-label', text)
    return
  }
  const button: HTMLElement = el(
    'button',
    {
      type: 'button',
      class: 'service-similar',
      'aria-haspopup': 'dialog',
      'aria-label': text,
      click: (event) => {
        event.preventDefault()
        event.stopPropagation()
        const productId = productOf(picture)
        const { currentSrc, src } = picture as HTMLImageElement
        open({ ...(productId && { product_id: productId }), url: currentSrc || src }, button)
      },
    },
    icon(CAMERA),
  )
  buttons.set(picture, button)
  // A button inside a link would be no button.
  ;(picture.closest('a') ?? picture).after(button)
  anchors.add(button, picture, ({ width, height }) => ({ x: width - 50, y: height - 50 }))
}
