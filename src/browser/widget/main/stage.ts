import { el } from '../dom.ts'
import type { Answer, Box } from '../shapes.ts'
import { createCropper } from './cropper.ts'
import type { View } from './dialog-view.ts'
import { buildRegions, listParts, pressRegion } from './proposals.ts'
import type { Texts } from './texts.ts'

/** The picture that is searched with: small in the row of the field, and with its frame and its parts where that is unfolded. */
export interface Stage {
  /** Shows another picture, whole, or none. */
  show(picture: HTMLCanvasElement | undefined): void
  /** Shows the same picture late: what is known of it stays. */
  complete(picture: HTMLCanvasElement, crop: Box | undefined): void
  /** Puts the frame around a part, or around all of it. */
  set(crop: Box | undefined): void
  /** Shows which part is searched for, wherever the frame is. */
  mark(crop: Box | undefined): void
  /** Takes the parts that the service proposes, once for each picture. */
  propose(answer: Answer): void
}

/** @param onNarrow receives the part that the shopper chooses; undefined for the whole picture. */
export function createStage(
  root: ShadowRoot,
  { folds, panel, side }: View,
  texts: Texts,
  onNarrow: (box: Box | undefined) => void,
): Stage {
  const cropper = createCropper(root, texts, onNarrow)
  const regions = el('div', { class: 'chips', role: 'group', 'aria-label': texts.crop })
  let picture: HTMLCanvasElement | undefined

  const draw = (crop?: Box) => folds.draw(picture, crop, regions.childElementCount > 0)

  function show(next: HTMLCanvasElement | undefined): void {
    picture = next
    cropper.show(next)
    regions.replaceChildren()
    side.replaceChildren(...(next ? [cropper.element, regions] : []))
    panel.classList.toggle('with', next !== undefined)
    draw()
  }

  function lay(parts: readonly Node[]): void {
    regions.replaceChildren(...parts)
    // The page's policy may forbid the preview; the parts can be chosen without it.
    if (parts.length > 0) side.append(regions)
    cropper.mark(listParts(regions).map(({ chip, box }) => ({ box, choose: () => chip.click() })))
  }

  draw()

  return {
    show,
    complete(late, crop) {
      const parts = [...regions.childNodes]
      show(late)
      cropper.set(crop)
      lay(parts)
      draw(crop)
    },
    set: cropper.set,
    mark(crop) {
      pressRegion(regions, crop)
      draw(crop)
    },
    propose(answer) {
      if (regions.childElementCount > 0) return
      lay(
        buildRegions(answer, texts, (box) => {
          cropper.set(box)
          onNarrow(box)
        }),
      )
      folds.crop.hidden = !picture && regions.childElementCount === 0
    },
  }
}
