/** What the line in the shop says beside the key. */
export interface Look {
  lang: string
  theme: string
  mode: string
  /** Selector of the shop's search field that gets the camera; empty for none. */
  attach: string
  /** `#rrggbb`; empty for ours. */
  accent: string
  needsConsent: boolean
}

/** Reads the look of an address, which can be sent to somebody. */
export const readLook = (query: URLSearchParams): Look => ({
  lang: query.get('lang') ?? '',
  theme: query.get('theme') ?? '',
  mode: query.get('mode') ?? '',
  attach: query.get('attach') ?? '',
  accent: /^#[\da-f]{6}$/i.test(query.get('accent') ?? '') ? (query.get('accent') ?? '') : '',
  needsConsent: query.get('consent') === 'required',
})

const escapeAttribute = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll('<', '&lt;')

/** Writes the line for the shop. @param service address of `/widget.js`. */
export function writeSnippet(src: string, key: string, look: Look): string {
  const options: [name: string, value: string][] = [
    ['data-key', key],
    ['data-lang', look.lang],
    ['data-theme', look.theme],
    ['data-mode', look.mode],
    ['data-attach', look.attach],
    ['data-consent', look.needsConsent ? 'required' : ''],
  ]
  const written = options.flatMap(([name, value]) => (value ? [`${name}="${escapeAttribute(value)}"`] : []))
  return `<script src="${escapeAttribute(src)}" ${written.join(' ')} async></script>`
}

/** What a strict shop adds to its Content-Security-Policy. */
export const writePolicy = (service: string): string =>
  ['script-src', 'connect-src', 'img-src'].map((directive) => `${directive} ${service}`).join('; ')

/** Share of the light that a channel of sRGB gives (WCAG 2.2, relative luminance). */
function toLinear(channel: number): number {
  const share = channel / 255
  return share <= 0.040_45 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4
}

/** White or black, whichever reads better on a colour. */
function pickTextColour(colour: string): '#ffffff' | '#000000' {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((at) =>
    toLinear(Number.parseInt(colour.slice(at, at + 2), 16)),
  )
  const luminance = 0.2126 * red + 0.7152 * green + 0.0722 * blue
  return 1.05 / (luminance + 0.05) >= (luminance + 0.05) / 0.05 ? '#ffffff' : '#000000'
}

/** The colours as the shop's style sheet sets them. */
export const writeColours = (accent: string): string =>
  `:root { --service-accent: ${accent}; --service-accent-text: ${pickTextColour(accent)} }`

/** The part of the preview's address behind its key. */
export function writePreviewOptions({ lang, theme, mode, accent }: Look): string {
  const options = new URLSearchParams()
  if (lang) options.set('lang', lang)
  if (theme) options.set('theme', theme)
  if (mode) options.set('mode', mode)
  if (accent) {
    options.set('accent', accent)
    options.set('accent_text', pickTextColour(accent))
  }
  return options.size > 0 ? `&${options}` : ''
}

const WWW = 'www.'

/**
 * Reads what somebody typed as the address of a shop.
 *
 * @returns its origin, then the one with or without `www.`, where shops have both; empty for no address.
 */
export function readShopOrigins(typed: string): string[] {
  const text = typed.trim()
  const url = URL.parse(/^https?:\/\//i.test(text) ? text : `https://${text}`)
  const isHost = url && url.username === '' && /^[a-z0-9.-]+$|^\[/.test(url.hostname)
  if (!isHost || text === '') return []
  const hasTwin = /[a-z]$/.test(url.hostname) && url.hostname.includes('.')
  if (!hasTwin) return [url.origin]
  const twin = new URL(url.origin)
  twin.hostname = url.hostname.startsWith(WWW) ? url.hostname.slice(WWW.length) : WWW + url.hostname
  return [url.origin, twin.origin]
}
