/**
 * `/widget.js`: the button, tracking and the API of the page. It imports the main file with the first use, by the name and
 * hash that the build puts in. The build fails if a file exceeds its budget.
 *
 * The two files share no values at run time: what both need is in both, so an error is recognised by its name and never by
 * its class. Nothing sets a `style` attribute or HTML text, because the strictest policies of shops forbid both: positions
 * are rules of constructed style sheets.
 *
 * A page may include the loader twice, and frameworks may remove its nodes and bring them back: it runs once, and puts its
 * button where its tag, its target or its search field is now.
 */
import type { EventName, OpenRequest, Panel } from '../shapes.ts'
import { createClient } from './client.ts'
import { createHome } from './home.ts'
import { pickLabels } from './labels.ts'
import { createMainFile } from './main-file.ts'
import { readOptions } from './options.ts'
import { createStorage } from './storage.ts'
import { createTracking, type Purchase } from './tracking.ts'

/** The build puts them in. */
declare const MAIN_FILE: string
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
  /** The state that a newer loader takes over, while one is being fetched. */
  renewal?: Renewal
}

/** The tag, and the calls to make again. */
interface Renewal {
  script: Script
  q: unknown[][]
}

/**
 * The value of `window.ServiceWidget`: this program, or the stub of the page with the calls before loading. Each call is a
 * name and its arguments; stubs of the first version kept purchases alone, without a name.
 */
type Present = Partial<Api> & { q?: Iterable<ArrayLike<unknown>> }
const page = window as unknown as { ServiceWidget?: Present | undefined }

const complain = (message: string) => console.error(`Lookalike: ${message}`)

function emit(name: EventName, detail: object = {}, cancelable = false): boolean {
  return document.dispatchEvent(new CustomEvent(`service:${name}`, { detail, cancelable, bubbles: true }))
}

/** Repeats the calls that the page made before the API was there. */
function replay(api: Api, stub: Present | undefined): void {
  // Consent comes first, because it decides what the others may send.
  const calls = Array.from(stub?.q ?? [], (call) => Array.from(call)).sort(
    ([one], [other]) => Number(other === 'consent') - Number(one === 'consent'),
  )
  for (const [name, ...passed] of calls) {
    const method = (api as unknown as Record<string, unknown>)[String(name)]
    const isNamed = typeof method === 'function' && Object(passed[0])['order_value'] === undefined
    if (isNamed) method(...passed)
    else api.trackPurchase(String(name), passed[0] as Purchase)
  }
}

function boot(script: Script, stub: Present | Renewal | undefined): Api {
  const said = new Set<string>()
  /** Logs a message only once. */
  const warn = (message: string) => {
    if (!said.has(message)) complain(message)
    said.add(message)
  }
  const options = readOptions(script.dataset, warn)
  const labels = pickLabels(options.lang, options.texts)
  // The file stands at /widget.js, pinned ones below /widget/.
  const base = script.src.replace(/\/(widget\/widget-[^/]*|widget)\.js([?#].*)?$/, '/')
  const client = createClient(base, options.key, ({ code, message }) => {
    // The service says what to do.
    warn(`${message} (${code}, ${location.origin})`)
    // A key may allow words and no pictures.
    if (code !== 'permission_denied') home.withdraw()
  })
  const ending = new AbortController()
  const { signal } = ending
  const storage = createStorage(options.hasConsent)
  const tracking = createTracking(client, storage, options.hasConsent, warn, signal)
  /** Listeners of the page go on under a newer loader. */
  const listening = new AbortController()
  const home = createHome(options, labels, script, open, use)
  const load = createMainFile(base, ({ start }) => {
    signal.throwIfAborted()
    const { root, shelter } = home
    home.panel = start({ options, root, client, tracking, emit, shelter })
    return home.panel
  })
  function use(work: (panel: Panel) => void): void {
    if (!home.isOff) load().then(work, () => {})
  }
  // Nobody who only looks at a page with a search field loads the main file.
  document.addEventListener(
    'input',
    ({ target }) => {
      if (options.search && target instanceof HTMLInputElement && target.matches(options.search))
        use((panel) => panel.complete(target))
    },
    { signal },
  )
  /** Openings and closings so far; only the last one counts. */
  let turns = 0

  async function open(request: OpenRequest = {}, opener?: HTMLElement): Promise<void> {
    if (home.isOff) return
    const from = (opener ?? document.activeElement) as HTMLElement | null
    turns += 1
    const turn = turns
    const isCurrent = () => turn === turns && !signal.aborted
    home.button.ariaBusy = 'true'
    try {
      const panel = await load().catch(async (error: unknown) => {
        if (isCurrent()) await recover(request, error)
      })
      if (isCurrent()) panel?.open(request, from)
      tracking.flush()
    } finally {
      home.button.ariaBusy = null
    }
  }

  /**
   * The main file did not load. After an upgrade the service no longer has the one of this loader, so the loader that it has
   * now takes over. A pinned script stays what it is, and a loader that has taken over does not ask again: they tell.
   */
  async function recover(request: OpenRequest, error: unknown): Promise<void> {
    if (!home.tag.integrity && !(stub && 'script' in stub)) {
      api.renewal = {
        script: home.tag,
        q: [
          ['consent', tracking.hasConsent()],
          ['open', request],
        ],
      }
      // An address that no cache knows.
      await import(`${base}widget.js?${Date.now()}`).catch(() => {})
      delete api.renewal
      if (signal.aborted) return
    }
    complain(`${base}widget/${MAIN_FILE} did not load. ${error}`)
    emit('error', { code: 'load_failed' })
    home.tell(labels.failed)
  }

  // Events that an earlier page could not send wait for the shopper's first move.
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
      // A newer loader that is on its way must not open it.
      api.renewal?.q.pop()
      turns += 1
      home.panel?.close()
    },
    on(name, listener) {
      const type = `service:${name.replace(/^service:/, '')}`
      document.addEventListener(type, listener as EventListener, { signal: listening.signal })
      return () => document.removeEventListener(type, listener as EventListener)
    },
    consent: tracking.consent,
    trackAddToCart: tracking.trackAddToCart,
    trackPurchase: tracking.trackPurchase,
    destroy() {
      ending.abort()
      if (!api.renewal) listening.abort()
      home.stop()
    },
    adopt(script) {
      if (signal.aborted) page.ServiceWidget = start(script)
      else if (!home.tag.isConnected) {
        home.tag = script
        home.place()
      }
    },
  }
  replay(api, stub)
  return api
}

/** Starts the widget, unless the key is missing or a secret. */
function start(script: Script, stub?: Present | Renewal): Present | undefined {
  const { key = '' } = script.dataset
  if (/^pk_\w+$/.test(key)) return boot(script, stub)
  const fault = /^(pk_|$)/.test(key)
    ? 'is no widget key.'
    : 'holds a secret that every visitor of this page can read. Rotate it now ' +
      '(lookalike key revoke or store new-secret), and put a widget key here.'
  complain(`data-key ${fault} Find it with: lookalike key list.`)
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
