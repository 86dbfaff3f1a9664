import type { Panel } from '../shapes.ts'
import { listenToBackdrop } from './backdrop.ts'
import { readDropped } from './dropped.ts'
import type { Picking } from './picking.ts'
import type { Searching } from './searching.ts'
import type { Parts } from './state.ts'

/** Opens and closes the modal dialog, or the section of an inline widget. */
export function createPanel(
  { context, view }: Parts,
  searching: Searching,
  picking: Picking,
): Omit<Panel, 'fill' | 'complete'> {
  const { root, emit, shelter } = context
  const { element } = view
  const dialog = element instanceof HTMLDialogElement ? element : undefined
  /** The element that had the focus before. */
  let opener: HTMLElement | null = null

  /** The button of an inline widget, which the section replaces. */
  const hideButton = (isHidden: boolean) => root.querySelector('.open')?.toggleAttribute('hidden', isHidden)

  function close(): void {
    if (dialog) {
      dialog.close()
      return
    }
    picking.reset()
    hideButton(false)
    element.remove()
  }

  function show(from: HTMLElement | null): void {
    if (!dialog) {
      shelter()
      hideButton(true)
      element.scrollIntoView({ block: 'nearest' })
      view.greet()
    } else if (!dialog.open) {
      opener = from
      shelter()
      dialog.showModal()
      // The browser would focus the first control, which closes the dialog.
      view.greet()
    }
  }

  root.append(element)
  if (dialog) {
    listenToBackdrop(dialog, close)
    dialog.addEventListener('close', () => {
      // The page may have opened it again before the browser says so.
      if (dialog.open) return
      picking.abandon()
      opener?.focus()
    })
    dialog.addEventListener('dragover', () => dialog.classList.add('dragging'))
  }
  for (const name of ['dragleave', 'drop'])
    element.addEventListener(name, () => element.classList.remove('dragging'))

  return {
    open({ dropped, ...request }, from) {
      if (!element.isConnected) root.append(element)
      const asked = dropped ? readDropped(dropped) : request
      show(from)
      emit('open')
      picking.take(asked)
    },
    close,
    settle() {
      if (!dialog?.open || dialog.matches(':modal')) return
      if (!dialog.isConnected) dialog.close()
      else {
        dialog.open = false
        shelter()
        dialog.showModal()
      }
    },
    destroy() {
      picking.abandon()
      searching.destroy()
      dialog?.close()
      element.remove()
    },
  }
}
