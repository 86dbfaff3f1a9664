import { el } from '../dom.ts'
import type { Hit } from '../shapes.ts'
import { sayCount, type Texts } from './texts.ts'

/** A relative drop below this is no edge; scores below this share of the best are no best matches. */
const EDGE = 0.1
const TAIL = 0.6
/** A best score below this means that nothing looks quite like the picture. */
const PLAUSIBLE = 0.5
/** Cards that one step shows. */
const STEP = 24
/** Further hits that are offered below the best ones. */
const MORE_MAX = 12

/** Where the service's `cutoff: "auto"` would end a list: at the largest drop after the third hit. */
function findEdge(hits: readonly Hit[]): number {
  const scores = hits.map(({ similarity_score = 1 }) => similarity_score)
  const [best = 0] = scores
  const tail = scores.findIndex((score) => score < TAIL * best)
  const kept = tail === -1 ? scores.length : tail
  let edge = { at: kept, drop: EDGE }
  for (let n = 3; n < kept; n++) {
    const before = scores[n - 1] ?? 0
    const drop = before > 0 ? (before - (scores[n] ?? 0)) / before : 0
    if (drop > edge.drop) edge = { at: n, drop }
  }
  return edge.at
}

/** The hits of an answer as they are shown. */
export interface Sorted {
  best: readonly Hit[]
  /** Products that follow at a distance: a few, in the categories of the best ones. */
  more: readonly Hit[]
  /** Nothing looks quite like the query. */
  isWeak: boolean
}

const categoryOf = ({ metadata }: Hit): string | undefined => textOf(metadata?.['category'])

/** Parts the best hits from the others. A hit whose category is unknown may be of any kind. */
export function sortHits(hits: readonly Hit[]): Sorted {
  const edge = findEdge(hits)
  const best = hits.slice(0, edge)
  const kinds = new Set([undefined, ...best.map(categoryOf)])
  const isKnown = kinds.size > 1
  const rest = hits.slice(edge).filter((hit) => !isKnown || kinds.has(categoryOf(hit)))
  return {
    best,
    more: rest.slice(0, MORE_MAX),
    isWeak: (hits[0]?.similarity_score ?? 1) < PLAUSIBLE,
  }
}

/** Says what was found. Where others follow with a distance, it counts the matches alone. */
export function describeHits(
  hits: readonly Hit[],
  { best, isWeak }: Sorted,
  texts: Texts,
  lang: string,
): string {
  if (isWeak) return texts.few
  return sayCount(texts, best.length === hits.length ? 'found' : 'matches', best.length, lang)
}

interface CardTools {
  texts: Texts
  lang: string
  /** Template of addresses with `{product_id}`. */
  url: string | undefined
  /** Called with a product that was chosen. @returns false if the browser must not follow the link. */
  onSelect(hit: Hit, url: string | undefined): boolean
}

const textOf = (value: unknown): string | undefined =>
  typeof value === 'string' && value !== '' ? value : undefined

/** Only addresses that lead to a page: a catalogue may hold anything. */
function readAddress(value: unknown): string | undefined {
  const text = textOf(value)
  if (!text || !URL.canParse(text, document.baseURI)) return undefined
  const { protocol, href } = new URL(text, document.baseURI)
  return /^https?:$/.test(protocol) ? href : undefined
}

function formatPrice(value: unknown, currency: unknown, lang: string): string | undefined {
  if (typeof value !== 'number' || !Number.isFinite(value)) return undefined
  try {
    if (typeof currency === 'string')
      return new Intl.NumberFormat(lang, { style: 'currency', currency }).format(value)
  } catch {
    // No currency code: the number alone.
  }
  return new Intl.NumberFormat(lang, { minimumFractionDigits: 2, maximumFractionDigits: 2 }).format(value)
}

function buildPrice(metadata: Record<string, unknown>, { texts, lang }: CardTools): HTMLElement | undefined {
  const { price, sale_price: sale, currency } = metadata
  const full = formatPrice(price, currency, lang)
  const reduced =
    typeof sale === 'number' && typeof price === 'number' && sale < price && formatPrice(sale, currency, lang)
  if (!full) return undefined
  if (!reduced) return el('span', { class: 'price', part: 'price' }, full)
  return el(
    'span',
    { class: 'price', part: 'price' },
    el('strong', { part: 'sale-price' }, reduced),
    ' ',
    el('span', { class: 'unseen' }, `${texts.before} `),
    el('del', { part: 'old-price' }, full),
  )
}

/** Finds the page of a product: that of the variant which the query matched comes first. @returns nothing without one. */
export function findAddress(
  { product_id, metadata, matched_variant: variant }: Hit,
  template: string | undefined,
): string | undefined {
  return (
    readAddress(variant?.url) ??
    readAddress(metadata?.['url']) ??
    readAddress(template?.replaceAll('{product_id}', encodeURIComponent(product_id)))
  )
}

function buildCard(hit: Hit, tools: CardTools): HTMLLIElement {
  const { product_id, image_url, matched_variant: variant } = hit
  const metadata = { ...hit.metadata }
  // The head of a group may have neither, because only its variants are sold.
  metadata['price'] ??= variant?.price
  const name = textOf(metadata['name']) ?? textOf(variant?.name) ?? product_id
  const url = findAddress(hit, tools.url)
  const source = readAddress(image_url ?? metadata['image_url'])
  const picture = el('span', { class: 'ratio', part: 'picture' })
  if (source) {
    // The name stands below, so the picture needs no words of its own.
    const image: HTMLImageElement = el('img', {
      alt: '',
      loading: 'lazy',
      decoding: 'async',
      src: source,
      error: () => image.remove(),
    })
    picture.append(image)
  }
  const content = [
    picture,
    el('span', { class: 'name', part: 'name' }, name),
    buildPrice(metadata, tools),
    metadata['in_stock'] === false
      ? el('span', { class: 'sold', part: 'badge' }, tools.texts.soldOut)
      : undefined,
  ]
  const click = (event: Event) => {
    if (!tools.onSelect(hit, url)) event.preventDefault()
  }
  // The middle button opens another tab.
  const auxclick = (event: Event) => {
    if ((event as MouseEvent).button === 1) click(event)
  }
  return el(
    'li',
    {},
    url
      ? el('a', { class: 'card', part: 'card', href: url, click, auxclick }, ...content)
      : el('button', { class: 'card', part: 'card', type: 'button', click }, ...content),
  )
}

/** Lists hits, a step at a time, with a button for the next. */
function buildList(hits: readonly Hit[], tools: CardTools): HTMLElement[] {
  const list = el('ul', { class: 'grid', role: 'list' })
  let shown = 0
  const more = el(
    'button',
    { type: 'button', class: 'plain', part: 'more', click: () => grow(true) },
    tools.texts.showMore,
  )
  const grow = (isAsked: boolean) => {
    const cards = hits.slice(shown, shown + STEP).map((hit) => buildCard(hit, tools))
    list.append(...cards)
    shown += STEP
    more.hidden = shown >= hits.length
    // The button may be gone now: reading goes on where the new products begin.
    if (isAsked) cards[0]?.querySelector<HTMLElement>('.card')?.focus()
  }
  grow(false)
  return [list, more]
}

/** Builds the hits of an answer: the best, and the others folded. */
export function buildResults({ best, more }: Sorted, tools: CardTools): HTMLElement[] {
  const list = buildList(best, tools)
  list[0]?.setAttribute('aria-labelledby', 'headline')
  if (more.length === 0) return list
  return [
    ...list,
    el(
      'details',
      {},
      el('summary', { part: 'more' }, `${tools.texts.more} (${more.length})`),
      ...buildList(more, tools),
    ),
  ]
}

/** Builds the products that others like, for an answer without hits. */
export const buildPopular = (hits: readonly Hit[], tools: CardTools): HTMLElement[] => [
  el('h3', {}, tools.texts.popular),
  ...buildList(hits, tools),
]

/** Grey shapes in the place of cards. */
export const buildSkeleton = (): HTMLElement =>
  el(
    'div',
    { class: 'grid skeleton', 'aria-hidden': 'true' },
    ...Array.from({ length: 8 }, () => el('span', { class: 'ratio' })),
  )
