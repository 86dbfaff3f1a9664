import { el } from '../dom.ts'
import type { OpenRequest } from '../shapes.ts'
import type { Home } from './home.ts'

/** Whether typing would go into the element, a field of the page. */
const isField = (element: EventTarget | undefined): boolean =>
  element instanceof HTMLElement && (element.isContentEditable || element.matches('input,textarea'))

/** Whether the shop takes a file here itself, in a field for uploads or by a program of its own. */
const isTaken = (event: Event): boolean =>
  event.defaultPrevented ||
  event.composedPath().some((one) => one instanceof Element && one.matches('input[type=file]'))

/**
 * Shows one drop area while somebody drags a picture over the page, and takes pasted pictures.
 *
 * @param home shows the area, and is placed anew when it has gone. @returns a function that ends it.
 */
export function createDrops(
  label: string,
  { root, shelter, place }: Home,
  open: (request: OpenRequest) => void,
): () => void {
  const area = el('div', { class: 'drop', dir: 'auto', part: 'drop', popover: 'manual' }, label)
  /** Whether the dialog is open, which shows a drop area of its own and takes links, too. */
  const isOpen = () => root.querySelector('dialog[open]') !== null
  let isOwn = false
  let hiding: ReturnType<typeof setTimeout> | undefined
  const listening = new AbortController()
  /** @param capture hears the event before the page does. */
  const on = <Name extends keyof DocumentEventMap>(
    name: Name,
    listener: (event: DocumentEventMap[Name]) => void,
    capture = false,
  ) => document.addEventListener(name, listener, { signal: listening.signal, capture })

  const brings = ({ dataTransfer }: DragEvent): boolean => {
    const types = dataTransfer?.types ?? []
    return !isOwn && (types.includes('Files') || (isOpen() && types.includes('text/uri-list')))
  }
  const show = () => {
    if (isOpen() || area.isConnected) return
    shelter()
    root.append(area)
    area.showPopover?.()
  }
  const hide = () => {
    clearTimeout(hiding)
    if (!area.isConnected) return
    area.remove()
    place()
  }

  // Dragging inside of the page, as shops do to sort, is no search.
  for (const name of ['dragstart', 'dragend'] as const)
    on(
      name,
      () => {
        isOwn = name === 'dragstart'
      },
      true,
    )
  for (const name of ['dragenter', 'dragover'] as const) {
    // The shop's own place for files may keep the event to itself: then the area goes.
    on(
      name,
      () => {
        clearTimeout(hiding)
        hiding = setTimeout(hide)
      },
      true,
    )
    on(name, (event) => {
      if (!brings(event) || isTaken(event)) return
      clearTimeout(hiding)
      event.preventDefault()
      show()
    })
  }
  on(
    'dragleave',
    (event) => {
      if (!event.relatedTarget) hide()
    },
    true,
  )
  on('drop', hide, true)
  on('drop', (event) => {
    const { dataTransfer } = event
    if (!dataTransfer || !brings(event) || isTaken(event)) return
    event.preventDefault()
    open({
      // It can be read during the event alone, and the main file may have to come first.
      dropped: {
        files: [...dataTransfer.files],
        html: dataTransfer.getData('text/html'),
        addresses: dataTransfer.getData('text/uri-list'),
      },
    })
  })
  on('paste', (event) => {
    const picture = [...(event.clipboardData?.files ?? [])].find(({ type }) => type.startsWith('image/'))
    const path = event.composedPath()
    // In our own dialog a picture counts wherever the focus is.
    if (!picture || event.defaultPrevented || (isField(path[0]) && !path.includes(root))) return
    event.preventDefault()
    open({ file: picture })
  })

  return () => {
    listening.abort()
    clearTimeout(hiding)
    area.remove()
  }
}
