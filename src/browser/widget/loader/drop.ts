import { el } from '../dom.ts'
import type { OpenRequest } from '../shapes.ts'

/** Shows one drop area while somebody drags a picture over the page, and takes pasted pictures. */
export interface Drops {
  stop(): void
}

const isPicture = ({ type }: Blob) => type.startsWith('image/')

/** Whether typing would go into a field of the page. */
function isFieldFocused(): boolean {
  const focused = document.activeElement
  return (
    focused instanceof HTMLInputElement ||
    focused instanceof HTMLTextAreaElement ||
    (focused instanceof HTMLElement && focused.isContentEditable)
  )
}

/** What a drop or a paste holds: the picture itself, or else its address. */
function readTransfer(data: DataTransfer): OpenRequest | undefined {
  const file = [...data.files].find(isPicture)
  if (file) return { file }
  // A picture that is a link carries the link's address, and its own only in the markup.
  const inMarkup = /<img[^>]+?src="(https?:[^"]+)"/i.exec(data.getData('text/html'))?.[1]
  const url = inMarkup?.replaceAll('&amp;', '&') ?? data.getData('text/uri-list').split('\n')[0]?.trim()
  if (url && /^https?:/.test(url)) return { url }
  // A file of another kind: the main file says what is wrong with it.
  return data.files[0] && { file: data.files[0] }
}

/**
 * @param isOpen whether the dialog is open, which shows a drop area of its own and takes links, too.
 */
export function createDrops(
  root: ShadowRoot,
  label: string,
  isOpen: () => boolean,
  open: (request: OpenRequest) => void,
): Drops {
  const area = el('div', { class: 'drop', part: 'drop', popover: 'manual', role: 'presentation' }, label)
  let isOwn = false
  const listening = new AbortController()
  const { signal } = listening

  const brings = ({ dataTransfer }: DragEvent): boolean => {
    const types = dataTransfer?.types ?? []
    return !isOwn && (types.includes('Files') || (isOpen() && types.includes('text/uri-list')))
  }
  const show = (isShown: boolean) => {
    if (isShown && !isOpen() && !area.isConnected) {
      root.append(area)
      area.showPopover?.()
    } else if (!isShown) area.remove()
  }
  const over = (event: DragEvent) => {
    if (!brings(event)) return
    event.preventDefault()
    show(true)
  }

  // Dragging inside of the page, as shops do to sort, is no search.
  for (const name of ['dragstart', 'dragend']) {
    const note = () => {
      isOwn = name === 'dragstart'
    }
    document.addEventListener(name, note, { signal })
  }
  document.addEventListener('dragenter', over, { signal })
  document.addEventListener('dragover', over, { signal })
  document.addEventListener(
    'dragleave',
    (event) => {
      if (!event.relatedTarget) show(false)
    },
    { signal },
  )
  document.addEventListener(
    'drop',
    (event) => {
      show(false)
      if (!brings(event) || !event.dataTransfer || event.defaultPrevented) return
      event.preventDefault()
      const request = readTransfer(event.dataTransfer)
      if (request) open(request)
    },
    { signal },
  )
  document.addEventListener(
    'paste',
    (event) => {
      const picture = [...(event.clipboardData?.files ?? [])].find(isPicture)
      if (!picture || event.defaultPrevented || isFieldFocused()) return
      event.preventDefault()
      open({ file: picture })
    },
    { signal },
  )

  return {
    stop() {
      listening.abort()
      area.remove()
    },
  }
}
