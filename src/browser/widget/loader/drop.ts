import { el } from '../dom.ts'
import type { OpenRequest } from '../shapes.ts'

/** Shows one drop area while somebody drags a picture over the page, and takes pasted pictures. */
export interface Drops {
  stop(): void
}

/** Whether typing would go into the element, a field of the page. */
const isField = (element: EventTarget | undefined): boolean =>
  element instanceof HTMLElement && (element.isContentEditable || element.matches('input,textarea'))

/** Whether the shop takes a file here itself, in a field for uploads or by a program of its own. */
const isTaken = (event: Event): boolean =>
  event.defaultPrevented ||
  event.composedPath().some((one) => one instanceof Element && one.matches('input[type=file]'))

/** What the drops need of the loader. */
interface Surroundings {
  /** Whether the dialog is open, which shows a drop area of its own and takes links, too. */
  isOpen(): boolean
  open(request: OpenRequest): void
  /** Makes sure that the page shows the root, before the area appears in it. */
  shelter(): void
  /** The area has gone. */
  place(): void
}

export function createDrops(
  root: ShadowRoot,
  label: string,
  { isOpen, open, shelter, place }: Surroundings,
): Drops {
  const area = el('div', { class: 'drop', dir: 'auto', part: 'drop', popover: 'manual' }, label)
  let isOwn = false
  let hiding: ReturnType<typeof setTimeout> | undefined
  const listening = new AbortController()
  const { signal } = listening
  const early = { signal, capture: true }

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
  for (const name of ['dragstart', 'dragend']) {
    const note = () => {
      isOwn = name === 'dragstart'
    }
    document.addEventListener(name, note, early)
  }
  for (const name of ['dragenter', 'dragover'] as const) {
    // The shop's own place for files may keep the event to itself: then the area goes.
    const expect = () => {
      clearTimeout(hiding)
      hiding = setTimeout(hide)
    }
    document.addEventListener(name, expect, early)
    document.addEventListener(
      name,
      (event) => {
        if (!brings(event) || isTaken(event)) return
        clearTimeout(hiding)
        event.preventDefault()
        show()
      },
      { signal },
    )
  }
  document.addEventListener(
    'dragleave',
    (event) => {
      if (!event.relatedTarget) hide()
    },
    early,
  )
  document.addEventListener('drop', hide, early)
  document.addEventListener(
    'drop',
    (event) => {
      if (!brings(event) || !event.dataTransfer || isTaken(event)) return
      event.preventDefault()
      const { dataTransfer } = event
      open({
        // It can be read during the event alone, and the main file may have to come first.
        dropped: {
          files: [...dataTransfer.files],
          html: dataTransfer.getData('text/html'),
          addresses: dataTransfer.getData('text/uri-list'),
        },
      })
    },
    { signal },
  )
  document.addEventListener(
    'paste',
    (event) => {
      const picture = [...(event.clipboardData?.files ?? [])].find(({ type }) => type.startsWith('image/'))
      const path = event.composedPath()
      // In our own dialog a picture counts wherever the focus is.
      if (!picture || event.defaultPrevented || (isField(path[0]) && !path.includes(root))) return
      event.preventDefault()
      open({ file: picture })
    },
    { signal },
  )

  return {
    stop() {
      listening.abort()
      clearTimeout(hiding)
      area.remove()
    },
  }
}
