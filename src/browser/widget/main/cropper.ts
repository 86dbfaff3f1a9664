import { el, sheet } from '../dom.ts'
import type { Box } from '../shapes.ts'
import { SIDE_MIN } from './picture.ts'
import type { Texts } from './texts.ts'

/** The picture with a frame that pointer and keys move. */
export interface Cropper {
  element: HTMLElement
  /** Shows a picture with the frame around all of it; null shows none. */
  show(picture: HTMLCanvasElement | undefined): void
  /** Moves the frame; null is the whole picture. */
  set(box: Box | undefined): void
  /** Lays a dot on each part of the picture, with its number. Keyboards have the buttons beside the picture. */
  mark(parts: readonly Part[]): void
}

/** A part of the picture, and what a tap on it does. */
export interface Part {
  box: Box
  choose(): void
}

/** The eight handles: which edges each moves, -1 for the left or upper one, 1 for the other. */
const HANDLES = [
  [-1, -1],
  [0, -1],
  [1, -1],
  [1, 0],
  [1, 1],
  [0, 1],
  [-1, 1],
  [-1, 0],
] as const

const WHOLE: Box = { x: 0, y: 0, width: 1, height: 1 }
/** One key press, as a share of the picture. */
const STEP = 0.01
/** A new search begins so long after the last move, in milliseconds. */
const SETTLE_MS = 300

const clamp = (value: number, low: number, high: number) => Math.min(high, Math.max(low, value))

/** @param onSettled hears of the frame some time after its last move; undefined for the whole picture. */
export function createCropper(
  root: ShadowRoot,
  texts: Texts,
  onSettled: (box: Box | undefined) => void,
): Cropper {
  const rules = sheet('.frame{}.shade{}')
  root.adoptedStyleSheets.push(rules)
  const frameRule = rules.cssRules[0] as CSSStyleRule
  const shadeRule = rules.cssRules[1] as CSSStyleRule
  let box = WHOLE
  let least = { width: 0, height: 0 }
  let timer: ReturnType<typeof setTimeout> | undefined

  const canvasPlace = el('div', { class: 'canvas' })
  const frame = el('div', {
    class: 'frame',
    part: 'frame',
    tabindex: 0,
    role: 'application',
    'aria-label': texts.frame,
    pointerdown: (event) => drag(event as PointerEvent, undefined),
    keydown: (event) => press(event as KeyboardEvent),
  })
  for (const [n, edges] of HANDLES.entries()) {
    frame.append(
      el('div', {
        class: `handle h${n}`,
        pointerdown: (event) => {
          event.stopPropagation()
          drag(event as PointerEvent, edges)
        },
      }),
    )
  }
  const picture = el(
    'div',
    { class: 'picture', part: 'preview' },
    canvasPlace,
    el('div', { class: 'shade' }),
    frame,
  )
  const dots = el('div', { class: 'dots', 'aria-hidden': 'true' })
  const dotRules = sheet('')
  root.adoptedStyleSheets.push(dotRules)
  picture.append(dots)
  const element = el('div', { class: 'crop', hidden: true }, picture, el('p', { class: 'hint' }, texts.crop))

  function draw(): void {
    const { style } = frameRule
    style.setProperty('left', `${box.x * 100}%`)
    style.setProperty('top', `${box.y * 100}%`)
    style.setProperty('width', `${box.width * 100}%`)
    style.setProperty('height', `${box.height * 100}%`)
    const [right, bottom] = [box.x + box.width, box.y + box.height]
    // The hole of the shade: around the picture, then around the frame in the other direction.
    const corners = [
      [0, 0],
      [0, 1],
      [1, 1],
      [1, 0],
      [0, 0],
      [box.x, box.y],
      [right, box.y],
      [right, bottom],
      [box.x, bottom],
      [box.x, box.y],
    ]
    shadeRule.style.setProperty(
      'clip-path',
      `polygon(${corners.map(([x = 0, y = 0]) => `${x * 100}% ${y * 100}%`).join()})`,
    )
    picture.classList.toggle('whole', isWhole())
  }

  const isWhole = () => box.width > 0.995 && box.height > 0.995

  /** Moves the frame, or the edges that are named, by shares of the picture. */
  function move(from: Box, edges: readonly [number, number] | undefined, dx: number, dy: number): void {
    if (!edges) {
      box = { ...from, x: clamp(from.x + dx, 0, 1 - from.width), y: clamp(from.y + dy, 0, 1 - from.height) }
    } else {
      const [horizontal, vertical] = edges
      let [left, top, right, bottom] = [from.x, from.y, from.x + from.width, from.y + from.height]
      if (horizontal < 0) left = clamp(left + dx, 0, right - least.width)
      if (horizontal > 0) right = clamp(right + dx, left + least.width, 1)
      if (vertical < 0) top = clamp(top + dy, 0, bottom - least.height)
      if (vertical > 0) bottom = clamp(bottom + dy, top + least.height, 1)
      box = { x: left, y: top, width: right - left, height: bottom - top }
    }
    draw()
  }

  function settle(): void {
    clearTimeout(timer)
    timer = setTimeout(() => onSettled(isWhole() ? undefined : box), SETTLE_MS)
  }

  function drag(event: PointerEvent, edges: readonly [number, number] | undefined): void {
    if (event.button !== 0) return
    const handle = event.currentTarget as HTMLElement
    const from = box
    const { width, height } = picture.getBoundingClientRect()
    handle.setPointerCapture(event.pointerId)
    clearTimeout(timer)
    const ending = new AbortController()
    const { signal } = ending
    const follow = (now: PointerEvent) =>
      move(from, edges, (now.clientX - event.clientX) / width, (now.clientY - event.clientY) / height)
    const end = () => {
      ending.abort()
      if (box !== from) settle()
    }
    handle.addEventListener('pointermove', follow, { signal })
    handle.addEventListener('pointerup', end, { signal })
    handle.addEventListener('pointercancel', end, { signal })
  }

  function press(event: KeyboardEvent): void {
    const steps: Record<string, [number, number]> = {
      ArrowLeft: [-STEP, 0],
      ArrowRight: [STEP, 0],
      ArrowUp: [0, -STEP],
      ArrowDown: [0, STEP],
    }
    const step = steps[event.key]
    if (!step || event.ctrlKey || event.altKey || event.metaKey) return
    event.preventDefault()
    move(box, event.shiftKey ? [1, 1] : undefined, ...step)
    settle()
  }

  return {
    element,
    show(shown) {
      clearTimeout(timer)
      element.hidden = !shown
      canvasPlace.replaceChildren(...(shown ? [shown] : []))
      if (shown) {
        shown.setAttribute('role', 'img')
        shown.setAttribute('aria-label', texts.yourPicture)
        least = {
          width: Math.min(1, (SIDE_MIN + 1) / shown.width),
          height: Math.min(1, (SIDE_MIN + 1) / shown.height),
        }
      }
      box = WHOLE
      dots.replaceChildren()
      draw()
    },
    mark(parts) {
      const middle = ({ x, y, width, height }: Box) =>
        `left:${(x + width / 2) * 100}%;top:${(y + height / 2) * 100}%`
      dotRules.replaceSync(parts.map(({ box: part }, n) => `.d${n}{${middle(part)}}`).join(''))
      dots.replaceChildren(
        ...parts.map(({ choose }, n) => el('span', { class: `dot d${n}`, click: choose }, String(n + 1))),
      )
    },
    set(next) {
      clearTimeout(timer)
      box = next ?? WHOLE
      draw()
    },
  }
}
