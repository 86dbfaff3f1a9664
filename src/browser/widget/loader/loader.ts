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
import { describeKey, describeRefusal } from './refusals.ts'
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
  /** What a newer loader takes over, while one is asked for. */
  renewal?: Renewal
}

/** The tag, and the calls to make again. */
interface Renewal {
  script: Script
  q: unknown[][]
}

/**
 * What stands at `window.ServiceWidget`: this program, or the stub of the page with the calls before loading. Each is a name
 * and what was passed; stubs of the first version kept purchases alone, without a name.
 */
type Present = Partial<Api> & { q?: Iterable<ArrayLike<unknown>> }
const page = window as unknown as { ServiceWidget?: Present | undefined }

/** How long a sentence stays. */
const NOTE_MS = 8_000

const complain = (message: string) => console.error(`Lookalike: ${message}`)

function boot(script: Script, stub: Present | Renewal | undefined): Api {
  const said = new Set<string>()
  /** Says something once, whatever the number of occasions. */
  const warn = (message: string) => {
    if (!said.has(message)) complain(message)
    said.add(message)
  }
  const options = readOptions(script.dataset, warn)
  const labels = pickLabels(options.lang, options.texts)
  // The file stands at /widget.js, pinned ones below /widget/.
  const base = script.src.replace(/\/(widget\/widget-[^/]*|widget)\.js([?#].*)?$/, '/')
  const client = createClient(base, options.key, refuse)
  const storage = createStorage(!options.isConsentRequired)
  const tracking = createTracking(client, storage, options.isConsentRequired, warn)
  const ending = new AbortController()
  const { signal } = ending
  /** What the page listens to goes on under a newer loader. */
  const listening = new AbortController()

  let tag = script
  let panel: Panel | undefined
  let loading: Promise<Panel> | undefined
  let tries = 0
  /** Openings and closings so far; only the last one counts. */
  let turns = 0
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
      dir: 'auto',
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
      : createDrops(root, labels.dropHere, {
          isOpen: () => root.querySelector('dialog[open]') !== null,
          open,
          shelter,
          place,
        })
  // What was open has kept the host where it could be seen.
  root.addEventListener('close', place, true)

  function emit(name: EventName, detail: object = {}, cancelable = false): boolean {
    return document.dispatchEvent(new CustomEvent(`service:${name}`, { detail, cancelable, bubbles: true }))
  }

  function refuse(error: ServiceError): void {
    warn(describeRefusal(error))
    // A key may allow words and no pictures.
    if (error.code !== 'permission_denied') withdraw()
  }

  function withdraw(): void {
    isWithdrawn = true
    // The dialog lives in the host, which therefore stays.
    host.dataset['bare'] = ''
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
      signal.throwIfAborted()
      const context: Context = { options, root, client, tracking, emit, shelter }
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

  /**
   * Lets the loader take over that the service has now: after an upgrade it no longer has the main file of this one. A pinned
   * script stays what it is, and a loader that has taken over does not ask again.
   *
   * @returns whether another loader is there, which does the rest.
   */
  async function renew(request: OpenRequest): Promise<boolean> {
    if (tag.integrity || (stub && 'script' in stub)) return false
    api.renewal = {
      script: tag,
      q: [
        ['consent', tracking.hasConsent()],
        ['open', request],
      ],
    }
    // An address that no cache knows.
    await import(`${base}widget.js?${Date.now()}`).catch(() => undefined)
    delete api.renewal
    return signal.aborted
  }

  async function open(request: OpenRequest = {}, opener?: HTMLElement): Promise<void> {
    if (isWithdrawn || signal.aborted || options.mode === 'track') return
    const from = (opener ?? document.activeElement ?? undefined) as HTMLElement | undefined
    turns += 1
    const turn = turns
    button.ariaBusy = 'true'
    try {
      const loaded = await load().catch(async (error: unknown) => {
        if (signal.aborted || turn !== turns || (await renew(request))) return
        complain(`${base}widget/${MAIN_FILE} did not load. ${error}`)
        emit('error', { code: 'load_failed' })
        tell(labels.failed)
      })
      if (turn === turns && !signal.aborted) loaded?.open(request, from)
      tracking.flush()
    } finally {
      button.ariaBusy = null
    }
  }

  /** Shows the shopper a sentence for some seconds, while there is no dialog. */
  function tell(text: string): void {
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
  }

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
    else if (!options.attach && !options.target && tag.isConnected && !tag.closest('head')) tag.after(host)
    else return
    delete host.dataset['bare']
  }

  /** Puts what the shopper sees where it belongs now. It changes nothing that is in place. */
  function place(): void {
    if (isWithdrawn || signal.aborted || options.mode === 'track') return
    // What is open stays where it can be seen.
    const isUsed = root.querySelector('dialog[open],section,[popover]')
    if (!host.isConnected || ('bare' in host.dataset && !isUsed)) goHome()
    panel?.settle()
    if (options.similar)
      for (const picture of document.querySelectorAll<HTMLElement>(options.similar)) addSimilar(picture)
    anchors.lay()
  }

  const marked = new WeakMap<Element, HTMLElement>()

  // A list may show another product in the same picture later, so nothing of it is kept.
  const productOf = (picture: HTMLElement) =>
    picture.closest<HTMLElement>('[data-product-id]')?.dataset['productId']

  function addSimilar(picture: HTMLElement): void {
    const name = picture.getAttribute('alt') || productOf(picture) || ''
    const label = labels.similar.replace('{name}', () => name)
    const known = marked.get(picture)
    if (known?.isConnected) {
      known.setAttribute('aria-label', label)
      return
    }
    const similar: HTMLElement = el(
      'button',
      {
        type: 'button',
        class: 'service-similar',
        'aria-haspopup': 'dialog',
        'aria-label': label,
        click: (event) => {
          event.preventDefault()
          event.stopPropagation()
          const productId = productOf(picture)
          const { currentSrc, src } = picture as HTMLImageElement
          void open({ ...(productId && { product_id: productId }), url: currentSrc || src }, similar)
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
    // Once for everything that a framework does in one go.
    if (!isPlacing)
      setTimeout(() => {
        isPlacing = false
        place()
      })
    isPlacing = true
  })
  if (options.mode !== 'track') {
    place()
    observer.observe(document.documentElement, {
      ...{ childList: true, subtree: true },
      // The list is empty where there is nothing to watch.
      attributeFilter: options.similar ? ['alt', 'data-product-id'] : [],
    })
  }

  // What an earlier page could not send waits for the shopper's first move.
  for (const name of ['pointerdown', 'keydown']) {
    addEventListener(name, tracking.flush, { signal, once: true, capture: true })
  }

  document.addEventListener(
    'securitypolicyviolation',
    ({ blockedURI, effectiveDirective }) => {
      const { origin } = new URL(base)
      if (!blockedURI.startsWith(origin)) return
      warn(
        `the Content-Security-Policy of this page forbids ${effectiveDirective} ${origin}. ` +
          `Add: script-src ${origin}; connect-src ${origin}; img-src ${origin}`,
      )
    },
    { signal },
  )

  const api: Api = {
    version: VERSION,
    open: (request) => void open(request),
    close() {
      turns += 1
      // A newer loader that is on its way must not open it.
      api.renewal?.q.pop()
      panel?.close()
    },
    on(name, listener) {
      const type = `service:${name.replace(/^service:/, '')}`
      document.addEventListener(type, listener as EventListener, { signal: listening.signal })
      return () => document.removeEventListener(type, listener as EventListener)
    },
    consent: tracking.consent,
    trackAddToCart: tracking.trackAddToCart,
    trackPurchase: (productId, purchase) => tracking.trackPurchase(productId, Object(purchase) as Purchase),
    destroy() {
      ending.abort()
      if (!api.renewal) listening.abort()
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

  // Consent comes first, because it decides what the others may send.
  const calls = Array.from(stub?.q ?? [], (call) => Array.from(call)).sort(
    ([one], [other]) => Number(other === 'consent') - Number(one === 'consent'),
  )
  for (const call of calls) {
    const [name, ...passed] = call
    const method = (api as unknown as Record<string, unknown>)[String(name)]
    const isNamed = typeof method === 'function' && Object(call[1])['order_value'] === undefined
    if (isNamed) method(...passed)
    else api.trackPurchase(String(call[0]), call[1] as Purchase)
  }
  return api
}

/** Refuses what would publish a secret; everything else starts. */
function start(script: Script, stub?: Present | Renewal): Present | undefined {
  const { key = '' } = script.dataset
  if (/^pk_\w+$/.test(key)) return boot(script, stub)
  complain(describeKey(key))
  return stub
}

const present = page.ServiceWidget
const renewal = present?.renewal
const script = document.currentScript ?? renewal?.script
if (script instanceof HTMLScriptElement && typeof CSSStyleSheet.prototype.replaceSync === 'function') {
  if (present?.adopt && !renewal) present.adopt(script)
  else {
    if (renewal) present?.destroy?.()
    const started = start(script, renewal ?? present)
    if (started) page.ServiceWidget = started
  }
}
