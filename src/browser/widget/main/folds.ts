import { CAMERA, el, icon } from '../dom.ts'
import type { Box } from '../shapes.ts'
import type { Texts } from './texts.ts'

const CROP = 'M6.5 2v13.5a2 2 0 0 0 2 2H22M2 6.5h13.5a2 2 0 0 1 2 2V22'
/** Twice the size in which it shows, for dense screens. */
const THUMB = 104

/**
 * The two buttons beside the field once there are results: one opens the picture with its frame, the other the ways to another
 * picture. Both are folded, so that products stand where the shopper looks.
 */
export interface Folds {
  crop: HTMLButtonElement
  another: HTMLButtonElement
  /** Folds both. */
  fold(): void
  /** Shows a picture's part in small. Without a picture the button is there if it opens parts. */
  draw(picture: HTMLCanvasElement | undefined, box: Box | undefined, hasParts: boolean): void
}

/** Named by the class that the panel has while it is open. */
type Fold = 'cropping' | 'choosing'

/** @param panel gets the class of the open fold. */
export function buildFolds(texts: Texts, panel: HTMLElement, onOpen: () => void): Folds {
  const build = (name: Fold, text: string, controls: string, path: string): HTMLButtonElement =>
    el(
      'button',
      {
        type: 'button',
        class: `tool ${name}`,
        part: 'action',
        title: text,
        'aria-expanded': 'false',
        'aria-controls': controls,
        click: () => {
          const isOpen = panel.classList.contains(name)
          fold()
          if (isOpen) return
          set(name, true)
          onOpen()
        },
      },
      icon(path),
      el('span', { class: 'label' }, text),
    )
  const crop = build('cropping', texts.openCrop, 'side', CROP)
  const another = build('choosing', texts.newPhoto, 'ways', CAMERA)
  const buttons = { cropping: crop, choosing: another }
  const thumb = el('canvas', { class: 'thumb', width: THUMB, height: THUMB, 'aria-hidden': 'true' })
  crop.prepend(thumb)

  function set(name: Fold, isOpen: boolean): void {
    panel.classList.toggle(name, isOpen)
    buttons[name].setAttribute('aria-expanded', String(isOpen))
  }

  function fold(): void {
    set('cropping', false)
    set('choosing', false)
  }

  return {
    crop,
    another,
    fold,
    draw(picture, { x, y, width, height } = { x: 0, y: 0, width: 1, height: 1 }, hasParts) {
      crop.hidden = !picture && !hasParts
      thumb.hidden = !picture
      const drawing = thumb.getContext('2d')
      if (!picture || !drawing) return
      // The middle of the part fills the square.
      const [wide, high] = [width * picture.width, height * picture.height]
      const side = Math.min(wide, high)
      drawing.fillStyle = '#fff'
      drawing.fillRect(0, 0, THUMB, THUMB)
      const [left, top] = [x * picture.width + (wide - side) / 2, y * picture.height + (high - side) / 2]
      drawing.drawImage(picture, left, top, side, side, 0, 0, THUMB, THUMB)
    },
  }
}
