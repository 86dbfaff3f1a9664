import { el } from '../dom.ts'
import type { Answer, Hit } from '../shapes.ts'
import { buildCard } from './results.ts'
import type { Parts } from './state.ts'

/** The rows of a product page: the attribute that names the product, the endpoint, and the heading. */
const ROWS = [
  ['similarTo', 'similar', 'similarRow'],
  ['together', 'together', 'together'],
] as const
const LIMIT = 12

type RowName = (typeof ROWS)[number][1]

/** The row of one product; without a host it is on its way, or there is none. */
interface Row {
  id: string
  host?: HTMLElement
}

/** Puts a row into its place, also after a framework has thrown it out. */
function put(place: HTMLElement, { host }: Row): void {
  if (!host || host.isConnected) return
  if (place.localName === 'script') place.after(host)
  else place.append(host)
}

/**
 * Creates what fills the places of rows. A place is the tag or any element of the page with `data-similar-to` or `data-together`; it
 * stays as it is until there are products.
 */
export function createRows(
  { context, texts, speech }: Pick<Parts, 'context' | 'texts' | 'speech'>,
  select: (hit: Hit, url?: string, searchId?: string) => boolean,
): (place: HTMLElement) => void {
  const { root, client, options, tracking, emit } = context
  const { lang, data } = options
  const filled = new WeakMap<HTMLElement, Record<string, Row>>()

  async function fill(place: HTMLElement, name: RowName, title: string, row: Row): Promise<void> {
    const session = tracking.session()
    const asked = new URLSearchParams({
      ...{ product_id: row.id, limit: String(LIMIT) },
      ...(session && { session_id: session }),
    })
    const { results, search_id }: Answer = await client.call(`${name}?${asked}`)
    if (results.length === 0 || filled.get(place)?.[name] !== row) return
    const tools = {
      ...{ texts, lang, url: data['url'] },
      onSelect: (hit: Hit, url: string | undefined) => select(hit, url, search_id),
    }
    const host = el('div', { 'data-service-row': name, 'data-mode': 'inline' })
    const shadow = host.attachShadow({ mode: 'open' })
    shadow.adoptedStyleSheets = root.adoptedStyleSheets
    shadow.append(
      el(
        'section',
        { class: 'panel', part: 'row', 'aria-label': title, lang: speech.lang, dir: speech.dir },
        el('h2', { part: 'title' }, title),
        el('ul', { class: 'row', role: 'list' }, ...results.map((hit) => buildCard(hit, tools))),
      ),
    )
    row.host = host
    put(place, row)
    emit('results', { search_id, products: results.map(({ product_id }) => product_id) })
  }

  function fillOne(place: HTMLElement): void {
    const rows = filled.get(place) ?? {}
    filled.set(place, rows)
    for (const [attribute, name, title] of ROWS) {
      const id = place.dataset[attribute]
      const known = rows[name]
      if (known && known.id === id) {
        put(place, known)
        continue
      }
      known?.host?.remove()
      delete rows[name]
      if (!id) continue
      const row = { id }
      rows[name] = row
      // A page without a row is as good as one that is refused.
      fill(place, name, texts[title], row).catch(() => {})
    }
  }

  // The loader names the parent of a tag, which shows nowhere itself.
  return (near) => {
    for (const place of [near, ...near.querySelectorAll<HTMLElement>(':scope>script')]) fillOne(place)
  }
}
