import { el } from '../dom.ts'
import type { Answer } from '../shapes.ts'
import { buildCard, createTools } from './results.ts'
import type { Parts } from './state.ts'

/** The rows of a product page: the attribute that names the product, and the endpoint. */
const ROWS = [
  ['similarTo', 'similar'],
  ['together', 'together'],
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
export function createRows({
  context,
  texts,
  speech,
}: Pick<Parts, 'context' | 'texts' | 'speech'>): (place: HTMLElement) => void {
  const { root, client, tracking, emit } = context
  const filled = new WeakMap<HTMLElement, Record<string, Row>>()

  /** @param before what stands before it: which answer comes first does not decide the order. */
  async function fill(place: HTMLElement, name: RowName, row: Row, before: unknown): Promise<void> {
    const session = tracking.session()
    const asked = new URLSearchParams({
      ...{ product_id: row.id, limit: String(LIMIT) },
      ...(session && { session_id: session }),
    })
    const answer: Answer = await client.call(`${name}?${asked}`)
    await before
    const { results, search_id, basis } = answer
    const title = basis === 'purchases' ? texts.together : texts.similarRow
    // Too few orders say what is bought together. A page that shows what is similar does not need that twice.
    const isTwice = basis && basis !== 'purchases' && document.querySelector('[data-similar-to]')
    if (results.length === 0 || isTwice || filled.get(place)?.[name] !== row) return
    const tools = createTools(context, texts, answer)
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
    let before: unknown
    for (const [attribute, name] of ROWS) {
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
      before = fill(place, name, row, before).catch(() => {})
    }
  }

  // The loader names the parent of a tag, which shows nowhere itself.
  return (near) => {
    for (const place of [near, ...near.querySelectorAll<HTMLElement>(':scope>script')]) fillOne(place)
  }
}
