import { el } from '../dom.ts'
import type { Answer, Context, Hit } from '../shapes.ts'
import { sayCount, type Texts } from './texts.ts'

/** A best score below this means that nothing looks quite like the picture. */
const PLAUSIBLE = 0.5
/** Cards that one step shows. */
const STEP = 24

/** Says what was found. */
export const describeHits = (hits: readonly Hit[], texts: Texts, lang: string): string =>
  Math.max(...hits.map(({ similarity_score: score = 1 }) => score)) < PLAUSIBLE
    ? texts.few
    : sayCount(texts, 'found', hits.length, lang)

interface CardTools {
  texts: Texts
  lang: string
  /** Template of addresses with `{product_id}`. */
  url: string | undefined
  /** Called with a product that was chosen. @returns false if the browser must not follow the link. */
  onSelect(hit: Hit, url: string | undefined): boolean
}

/** What the cards of an answer need; a chosen product is told with the search that found it. */
export const createTools = (
  { options: { lang, data }, tracking, emit }: Context,
  texts: Texts,
  { search_id }: Answer,
): CardTools => ({
  ...{ texts, lang, url: data['url'] },
  onSelect({ product_id, metadata }, url) {
    tracking.trackClick(product_id, search_id)
    return emit('select', { product_id, url, search_id, metadata }, true)
  },
})

const textOf = (value: unknown): string | undefined =>
  typeof value === 'string' && value !== '' ? value : undefined

/** Only addresses that lead to a page: a catalogue may hold anything. */
export function readAddress(value: unknown): string | undefined {
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
  const shown = reduced
    ? [
        el('strong', { part: 'sale-price' }, reduced),
        ' ',
        el('span', { class: 'unseen' }, `${texts.before} `),
        el('del', { part: 'old-price' }, full),
      ]
    : [full]
  return el('span', { class: 'price', part: 'price' }, ...shown)
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

export function buildCard(hit: Hit, tools: CardTools): HTMLLIElement {
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
    hit.sold_out ? el('span', { class: 'sold', part: 'badge' }, tools.texts.soldOut) : undefined,
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

/** Builds the hits of an answer. */
export function buildResults(hits: readonly Hit[], tools: CardTools): HTMLElement[] {
  const list = buildList(hits, tools)
  list[0]?.setAttribute('aria-labelledby', 'headline')
  return list
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
