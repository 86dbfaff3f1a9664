/**
 * `/widget.js`: the button, tracking and the API of the page. It fetches the main file with the first use.
 *
 * A page may include it twice, and frameworks may take its nodes away and bring them back: it runs once, and puts its
 * button where its tag, its target or its search field is now.
 */
import { CAMERA, el, icon, sheet } from '../dom.ts'
import type { Context, EventName, MainFile, OpenRequest, Panel } from '../shapes.ts'
import { createAnchors } from './anchors.ts'
import { createClient, type ServiceError } from './client.ts'
import { createDrops } from './drop.ts'
import { pickLabels } from './labels.ts'
import { readOptions } from './options.ts'
import { createStorage } from './storage.ts'
import { BASE, SIMILAR, theme } from './styles.ts'
import { createTracking, type Purchase } from './tracking.ts'

/** Name and `integrity` of the main file; the build puts them in. */
declare const MAIN_FILE: string
declare const MAIN_INTEGRITY: string
declare const VERSION: string

type Script = HTMLScriptElement

interface Api {
  version: string
  open(request?: OpenRequest): void
  close(): void
  /** Listens to an event of the widget. @returns a function that ends it. */
  on(name: EventName, listener: (event: CustomEvent) => void): () => void
  consent(isGiven: boolean): void
  trackAddToCart(productId: string): void
  trackPurchase(productId: string, purchase: Purchase): void
  destroy(): void
  /** Another tag of the same script. */
  adopt(script: Script): void
}

/** What stands at `window.ServiceWidget`: this program, or the stub of the page with the calls before loading. */
type Present = Partial<Api> & { q?: Iterable<ArrayLike<unknown>> }
const page = window as unknown as { ServiceWidget?: Present | undefined }

const complain = (message: string) => console.error(`Lookalike: ${message}`)

/** Says something once, whatever the number of occasions. */
function createOnce(say: (message: string) => void): (message: string) => void {
  const said = new Set<string>()
  return (message) => {
    if (said.has(message)) return
    said.add(message)
    say(message)
  }
}

function boot(script: Script, stub: Present | undefined): Api {
  const warn = createOnce(complain)
  const options = readOptions(script.dataset, warn)
  const labels = pickLabels(options.lang, options.texts)
  // The file stands at /widget.js, pinned ones below /widget/.
  const base = script.src.replace(/widget(\/[^/]*)?\.js.*$/, '')
  const client = createClient(base, options.key, refuse)
  const storage = createStorage(!options.isConsentRequired)
  const tracking = createTracking(client, storage, options.isConsentRequired, warn)
  const ending = new AbortController()
  const { signal } = ending

  let tag = script
  let panel: Panel | undefined
  let loading: Promise<Panel> | undefined
  let tries = 0
  let isWithdrawn = false

  const host = el('div', { 'data-service-widget': '', 'data-mode': options.mode })
  const root = host.attachShadow({ mode: 'open' })
  const fieldSheet = sheet('')
  root.adoptedStyleSheets = [sheet(BASE), sheet(theme(options.theme)), fieldSheet]
  const button = el(
    'button',
    {
      type: 'button',
      class: 'open',
      part: 'button',
      ...(options.mode !== 'inline' && { 'aria-haspopup': 'dialog' }),
      ...(options.attach && { 'aria-label': labels.button, title: labels.button }),
      click: () => void open({}, button),
    },
    icon(CAMERA),
    options.attach ? undefined : labels.button,
  )
  root.append(button)
  const anchors = createAnchors(SIMILAR)
  const drops =
    options.mode === 'track'
      ? undefined
      : createDrops(
          root,
          labels.dropHere,
          () => root.querySelector('dialog[open]') !== null,
          (request) => open(request),
        )

  function emit(name: EventName, detail: object = {}, cancelable = false): boolean {
    return document.dispatchEvent(new CustomEvent(`service:${name}`, { detail, cancelable, bubbles: true }))
  }

  function refuse({ code }: ServiceError): void {
    warn(
      code === 'origin_not_allowed'
        ? `${location.origin} is not among the origins of this key. Add it: portal → Widget.`
        : code === 'origin_missing'
          ? 'this page has no origin, so no key can allow it. Open it from a web server.'
          : 'the service does not know the key in data-key. Copy the snippet again: portal → Widget.',
    )
    withdraw()
  }

  function withdraw(): void {
    isWithdrawn = true
    // The dialog lives in the host, which therefore stays.
    button.hidden = true
    for (const one of document.querySelectorAll('.service-similar')) one.remove()
    drops?.stop()
  }

  /** Fetches the main file. The link makes the browser check it; where links cannot, it is loaded unchecked. */
  function load(): Promise<Panel> {
    loading ??= (async () => {
      const address = `${base}widget/${MAIN_FILE}${tries ? `?${tries}` : ''}`
      const link = el('link', { rel: 'modulepreload', href: address, integrity: MAIN_INTEGRITY })
      document.head.append(link)
      const { start } = (await import(address)) as MainFile
      link.remove()
      const context: Context = { options, root, client, tracking, emit, withdraw }
      panel = start(context)
      return panel
    })()
    loading.catch(() => {
      // A browser may keep a failure under its address, so the next try asks with another one.
      tries += 1
      loading = undefined
    })
    return loading
  }

  async function open(request: OpenRequest = {}, opener?: HTMLElement): Promise<void> {
    if (isWithdrawn || signal.aborted || options.mode === 'track') return
    const from =
      opener ?? (document.activeElement instanceof HTMLElement ? document.activeElement : undefined)
    button.ariaBusy = 'true'
    try {
      const loaded = await load()
      if (!signal.aborted) loaded.open(request, from)
      tracking.flush()
    } catch (error) {
      complain(`${base}widget/${MAIN_FILE} did not load. ${error}`)
      emit('error', { code: 'load_failed' })
    } finally {
      button.ariaBusy = null
    }
  }

  /** Puts what the shopper sees where it belongs now. It changes nothing that is in place. */
  function place(): void {
    if (isWithdrawn || options.mode === 'track') return
    if (!host.isConnected) {
      const field = options.attach && document.querySelector(options.attach)
      const target = options.target && document.querySelector(options.target)
      if (field) {
        host.dataset['attached'] = ''
        // The camera lies on the field, whose colours may have little to do with ours.
        fieldSheet.replaceSync(`:host([data-attached]) .open{color:${getComputedStyle(field).color}}`)
        field.after(host)
        const isRightToLeft = getComputedStyle(field).direction === 'rtl'
        anchors.add(host, field, ({ width, height }) => ({
          x: isRightToLeft ? 0 : width - 44,
          y: (height - 44) / 2,
        }))
      } else if (target) target.append(host)
      // In the head or without a place of its own, a button would show nowhere.
      else if (!options.attach && !options.target && tag.isConnected && !tag.closest('head')) tag.after(host)
    }
    if (options.similar)
      for (const picture of document.querySelectorAll<HTMLElement>(options.similar)) addSimilar(picture)
    anchors.lay()
  }

  const marked = new WeakMap<Element, HTMLElement>()

  function addSimilar(picture: HTMLElement): void {
    if (marked.get(picture)?.isConnected) return
    const productId = picture.closest<HTMLElement>('[data-product-id]')?.dataset['productId']
    const url = (picture as HTMLImageElement).currentSrc || (picture as HTMLImageElement).src
    const name = picture.getAttribute('alt') || productId || ''
    const similar: HTMLElement = el(
      'button',
      {
        type: 'button',
        class: 'service-similar',
        'aria-haspopup': 'dialog',
        'aria-label': labels.similar.replace('{name}', name),
        click: (event) => {
          event.preventDefault()
          event.stopPropagation()
          void open(
            { ...(productId && { product_id: productId }), ...(/^https?:/.test(url) && { url }) },
            similar,
          )
        },
      },
      icon(CAMERA),
    )
    marked.set(picture, similar)
    // A button inside a link would be no button.
    ;(picture.closest('a') ?? picture).after(similar)
    anchors.add(similar, picture, ({ width, height }) => ({ x: width - 50, y: height - 50 }))
  }

  let isPlacing = false
  const observer = new MutationObserver(() => {
    if (isPlacing) return
    isPlacing = true
    // Once for everything that a framework does in one go.
    setTimeout(() => {
      isPlacing = false
      if (!signal.aborted) place()
    })
  })
  if (options.mode !== 'track') {
    place()
    observer.observe(document.documentElement, { childList: true, subtree: true })
  }

  // What an earlier page could not send waits for the shopper's first move.
  for (const name of ['pointerdown', 'keydown']) {
    addEventListener(name, tracking.flush, { signal, once: true, passive: true, capture: true })
  }

  document.addEventListener(
    'securitypolicyviolation',
    ({ blockedURI, effectiveDirective }) => {
      if (!blockedURI.startsWith(new URL(base).origin)) return
      const { origin } = new URL(base)
      warn(
        `the Content-Security-Policy of this page forbids ${effectiveDirective} ${origin}. ` +
          `Add: script-src ${origin}; connect-src ${origin}; img-src ${origin}`,
      )
    },
    { signal },
  )

  for (const call of stub?.q ?? []) tracking.trackPurchase(String(call[0]), Object(call[1]) as Purchase)

  return {
    version: VERSION,
    open: (request) => void open(request),
    close: () => panel?.close(),
    on(name, listener) {
      const type = `service:${name.replace(/^service:/, '')}`
      document.addEventListener(type, listener as EventListener, { signal })
      return () => document.removeEventListener(type, listener as EventListener)
    },
    consent: tracking.consent,
    trackAddToCart: tracking.trackAddToCart,
    trackPurchase: (productId, purchase) => tracking.trackPurchase(productId, Object(purchase) as Purchase),
    destroy() {
      ending.abort()
      observer.disconnect()
      panel?.destroy()
      drops?.stop()
      anchors.stop()
      tracking.stop()
      host.remove()
    },
    adopt(script) {
      if (signal.aborted) page.ServiceWidget = start(script)
      else if (!tag.isConnected) {
        tag = script
        place()
      }
    },
  }
}

/** Refuses what would publish a secret; everything else starts. */
function start(script: Script, stub?: Present): Present | undefined {
  const { key = '' } = script.dataset
  if (/^pk_/.test(key)) return boot(script, stub)
  complain(
    key === ''
      ? 'data-key is missing. Copy the snippet again: portal → Widget.'
      : 'data-key holds a secret that every visitor of this page can read. Rotate it now (portal → Security), ' +
          'and put a widget key (pk_…) here: portal → Widget.',
  )
  return stub
}

const script = document.currentScript
if (script instanceof HTMLScriptElement && typeof CSSStyleSheet.prototype.replaceSync === 'function') {
  const present = page.ServiceWidget
  if (present?.adopt) present.adopt(script)
  else {
    const started = start(script, present)
    if (started) page.ServiceWidget = started
  }
}
