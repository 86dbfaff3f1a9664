/**
 * Listens to clicks on the backdrop of a modal dialog. Both ends of a click must be there: a text that is marked, or something
 * that is dragged, may end on it. The empty space of the dialog itself does not belong to it.
 */
export function listenToBackdrop(dialog: HTMLDialogElement, onClick: () => void): void {
  let isPressed = false
  const isOutside = ({ target, clientX: x, clientY: y }: MouseEvent): boolean => {
    const { left, right, top, bottom } = dialog.getBoundingClientRect()
    return target === dialog && (x < left || x > right || y < top || y > bottom)
  }
  dialog.addEventListener('pointerdown', (event) => {
    isPressed = isOutside(event)
  })
  dialog.addEventListener('click', (event) => {
    if (isPressed && isOutside(event)) onClick()
  })
}
