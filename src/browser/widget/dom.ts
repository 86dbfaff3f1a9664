/** Builds elements without any HTML text, so that the strictest policies of a page have nothing to refuse. */

type Attribute = string | number | boolean | undefined | ((event: Event) => void)

/**
 * Makes an element.
 *
 * @param attributes a function listens to the event of its name; `true` is an empty attribute, `false` and `undefined` none.
 */
export function el<Name extends keyof HTMLElementTagNameMap>(
  name: Name,
  attributes: Record<string, Attribute> = {},
  ...children: (Node | string | undefined)[]
): HTMLElementTagNameMap[Name] {
  const element = document.createElement(name)
  for (const [key, value] of Object.entries(attributes)) {
    if (typeof value === 'function') element.addEventListener(key, value)
    else if (value !== undefined && value !== false)
      element.setAttribute(key, value === true ? '' : String(value))
  }
  element.append(...children.filter((child) => child !== undefined))
  return element
}

/** Draws an icon of 24 units from one path, in the colour of the text around it. */
export function icon(path: string): SVGSVGElement {
  const space = 'http://www.w3.org/2000/svg'
  const svg = document.createElementNS(space, 'svg')
  svg.setAttribute('viewBox', '0 0 24 24')
  svg.setAttribute('aria-hidden', 'true')
  const shape = document.createElementNS(space, 'path')
  shape.setAttribute('d', path)
  svg.append(shape)
  return svg
}

/** Makes a style sheet that no Content-Security-Policy counts as inline. */
export function sheet(text: string): CSSStyleSheet {
  const made = new CSSStyleSheet()
  made.replaceSync(text)
  return made
}

export const CAMERA =
  'M9 4 7.5 6H4a1.5 1.5 0 0 0-1.5 1.5v11A1.5 1.5 0 0 0 4 20h16a1.5 1.5 0 0 0 1.5-1.5v-11A1.5 1.5 0 0 0 20 6h-3.5L15 4ZM16 12.8a4 4 0 1 1-8 0 4 4 0 0 1 8 0Z'
