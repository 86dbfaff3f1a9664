import { el, sheet } from '../dom.ts'
import type { Box } from '../shapes.ts'
import { type Edges, isWhole, moveBox, shadeAround, WHOLE } from './crop-frame.ts'
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

/** The eight handles, by the edges that each moves. */
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

/** One key press, as a share of the picture. */
const STEP = 0.01
/** The delay of a new search after the last move, in milliseconds. */
const SETTLE_MS = 300

/** The move of each key, in shares of the picture. */
const STEPS: Readonly<Record<string, readonly [number, number]>> = {
  ArrowLeft: [-STEP, 0],
  ArrowRight: [STEP, 0],
  ArrowUp: [0, -STEP],
  ArrowDown: [0, STEP],
}

/** Follows a pressed pointer. @param onMove receives the pixels since the press. */
function follow(
  { currentTarget, pointerId, clientX, clientY }: PointerEvent,
  onMove: (x: number, y: number) => void,
  onEnd: () => void,
): void {
  const handle = currentTarget as HTMLElement
  handle.setPointerCapture(pointerId)
  const ending = new AbortController()
  const { signal } = ending
  const end = () => {
    ending.abort()
    onEnd()
  }
  handle.addEventListener('pointermove', (now) => onMove(now.clientX - clientX, now.clientY - clientY), {
    signal,
  })
  handle.addEventListener('pointerup', end, { signal })
  handle.addEventListener('pointercancel', end, { signal })
}

/** @param onSettled receives the frame some time after its last move; undefined for the whole picture. */
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
    shadeRule.style.setProperty('clip-path', shadeAround(box))
    picture.classList.toggle('whole', isWhole(box))
  }

  function move(from: Box, edges: Edges | undefined, by: readonly [number, number]): void {
    box = moveBox(from, edges, by, least)
    draw()
  }

  function settle(): void {
    clearTimeout(timer)
    timer = setTimeout(() => onSettled(isWhole(box) ? undefined : box), SETTLE_MS)
  }

  function drag(event: PointerEvent, edges: Edges | undefined): void {
    if (event.button !== 0) return
    const from = box
    const { width, height } = picture.getBoundingClientRect()
    clearTimeout(timer)
    follow(
      event,
      (x, y) => move(from, edges, [x / width, y / height]),
      () => {
        if (box !== from) settle()
      },
    )
  }

  function press(event: KeyboardEvent): void {
    const step = STEPS[event.key]
    if (!step || event.ctrlKey || event.altKey || event.metaKey) return
    event.preventDefault()
    move(box, event.shiftKey ? [1, 1] : undefined, step)
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
