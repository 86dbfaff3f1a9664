import { CAMERA, el, icon, sheet } from '../dom.ts'
import type { OpenRequest, Panel } from '../shapes.ts'
import { createAnchors } from './anchors.ts'
import { createDrops } from './drop.ts'
import type { Labels } from './labels.ts'
import type { Options } from './options.ts'
import { addSimilar } from './similar.ts'
import { BASE, SIMILAR, theme } from './styles.ts'

/** The widget in the page of the shop: its host with the button, its buttons on pictures, and its drop area. */
export interface Home {
  root: ShadowRoot
  button: HTMLElement
  /** The tag beside which the button stands, unless the options name another place. */
  tag: HTMLScriptElement
  /** Whether the shopper can open nothing: the widget only tracks, was refused, or has ended. */
  isOff: boolean
  /** The dialog, once the main file is there. */
  panel?: Panel
  /** Makes sure that the page shows what is in the root. */
  shelter(): void
  /** Puts everything that the shopper sees where it belongs now. It changes nothing that is in place. */
  place(): void
  /** Shows the shopper a sentence for some seconds, while there is no dialog. */
  tell(text: string): void
  /** Takes away what opens the dialog. The dialog itself stays. */
  withdraw(): void
  stop(): void
}

/** How long a sentence stays. */
const NOTE_MS = 8_000

/** Places the widget, and keeps it in place while the page changes. In mode `track` there is nothing to place. */
export function createHome(
  options: Options,
  labels: Labels,
  tag: HTMLScriptElement,
  open: (request: OpenRequest, opener?: HTMLElement) => void,
  use: (work: (panel: Panel) => void) => void,
): Home {
  const host = el('div', { 'data-service-widget': '', 'data-mode': options.mode })
  const root = host.attachShadow({ mode: 'open' })
  const fieldSheet = sheet('')
  root.adoptedStyleSheets = [sheet(BASE), sheet(theme(options.theme)), fieldSheet]
  const button = el(
    'button',
    {
      type: 'button',
      class: 'open',
      dir: 'auto',
      part: 'button',
      ...(options.mode !== 'inline' && { 'aria-haspopup': 'dialog' }),
      ...(options.attach && { 'aria-label': labels.button, title: labels.button }),
      click: () => open({}, button),
    },
    icon(CAMERA),
    options.attach ? undefined : labels.button,
  )
  root.append(button)
  const anchors = createAnchors(SIMILAR)
  const near = new IntersectionObserver(
    (entries) => {
      for (const { isIntersecting, target } of entries)
        if (isIntersecting) use((panel) => panel.fill(target as HTMLElement))
    },
    { rootMargin: '500px' },
  )

  function shelter(): void {
    if (host.getClientRects().length > 0) return
    host.dataset['bare'] = ''
    document.body.append(host)
  }

  /** Puts the host where the button belongs now; without such a place it stays where it is. */
  function goHome(): void {
    const field = options.attach && document.querySelector(options.attach)
    const target = options.target && document.querySelector(options.target)
    if (field) {
      host.dataset['attached'] = ''
      // The camera lies on the field, whose colours may have little to do with ours.
      const { color, direction } = getComputedStyle(field)
      fieldSheet.replaceSync(`:host([data-attached]) .open{color:${color}}`)
      field.after(host)
      anchors.add(host, field, ({ width, height }) => ({
        x: direction === 'rtl' ? 0 : width - 44,
        y: (height - 44) / 2,
      }))
    } else if (target) target.append(host)
    // In the head or without a place of its own, a button would show nowhere.
    else if (!options.attach && !options.target && home.tag.isConnected && !home.tag.closest('head'))
      home.tag.after(host)
    else return
    delete host.dataset['bare']
  }

  function place(): void {
    if (home.isOff) return
    // An open dialog stays where it can be seen.
    const isUsed = root.querySelector('dialog[open],section,[popover]')
    if (!host.isConnected || ('bare' in host.dataset && !isUsed)) goHome()
    home.panel?.settle()
    if (options.similar)
      for (const picture of document.querySelectorAll<HTMLElement>(options.similar))
        addSimilar(picture, anchors, labels.similar, open)
    for (const one of document.querySelectorAll('[data-similar-to],[data-together]')) {
      // A tag shows nowhere itself. Whoever is observed again reports again, so that another product is seen.
      const shown = one.closest(':not(script)') as Element
      near.unobserve(shown)
      near.observe(shown)
    }
    anchors.lay()
  }

  function withdraw(): void {
    home.isOff = true
    // The dialog lives in the host, which therefore stays.
    host.dataset['bare'] = ''
    for (const one of document.querySelectorAll('.service-similar')) one.remove()
    stopDrops?.()
  }

  let placing = 0
  const observer = new MutationObserver(() => {
    // Once for everything that a framework does in one go.
    if (placing) return
    placing = setTimeout(() => {
      placing = 0
      place()
    })
  })

  const home: Home = {
    root,
    button,
    tag,
    isOff: options.mode === 'track',
    shelter,
    place,
    tell(text) {
      shelter()
      const note = el(
        'p',
        { class: 'note', dir: 'auto', part: 'notice', role: 'alert', popover: 'manual' },
        text,
      )
      root.append(note)
      note.showPopover?.()
      setTimeout(() => {
        note.remove()
        place()
      }, NOTE_MS)
    },
    withdraw,
    stop() {
      withdraw()
      observer.disconnect()
      near.disconnect()
      home.panel?.destroy()
      anchors.stop()
      host.remove()
    },
  }

  const stopDrops = home.isOff ? undefined : createDrops(labels.dropHere, home, open)
  // The open dialog has kept the host where it could be seen.
  root.addEventListener('close', place, true)
  if (!home.isOff) {
    place()
    observer.observe(document.documentElement, {
      childList: true,
      subtree: true,
      attributeFilter: ['alt', 'data-product-id', 'data-similar-to', 'data-together'],
    })
  }
  return home
}
