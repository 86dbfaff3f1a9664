import { el, icon } from '../dom.ts'
import type { Answer } from '../shapes.ts'
import { buildChip } from './proposals.ts'
import type { Query } from './search.ts'
import type { Parts } from './state.ts'
import type { Texts } from './texts.ts'

const FUNNEL = 'M4 5h16l-6 8v6l-4-2v-4Z'
/** Fields that are offered unless the tag names others, and values of each. */
const FIELDS = 'category,brand,color_name'
const VALUES_MAX = 10

/** The orders that a shopper can choose, by what the service calls them; the first is that of likeness. */
const ORDERS = [
  ['', 'best'],
  ['newest', 'newest'],
  ['price_asc', 'cheap'],
  ['price_desc', 'dear'],
] as const

/** The fields whose values the tag wants counted. */
export const listFacets = ({ facets = FIELDS }: DOMStringMap): string[] =>
  facets.split(',').flatMap((field) => field.trim() || [])

type Count = { value: string | number | boolean; count: number }

/** An order, and chips of values that narrow the search, folded behind a button beside the number of products. */
export interface Facets {
  element: HTMLElement
  show(answer: Answer): void
}

export function createFacets(
  { context, texts, state }: Pick<Parts, 'context' | 'texts' | 'state'>,
  run: () => void,
): Facets {
  const { options, root } = context
  const fields = listFacets(options.data)
  const order = el(
    'select',
    {
      'aria-label': texts.sort,
      part: 'sort',
      change: () => {
        change({ sort: order.value })
      },
    },
    ...ORDERS.map(([value, name]) => el('option', { value }, texts[name])),
  )
  const chosenCount = el('span')
  const summary = el(
    'summary',
    { class: 'tool', part: 'action' },
    icon(FUNNEL),
    el('span', { class: 'label' }, texts.filters),
    chosenCount,
  )
  const groups = el('div', { class: 'groups' })
  const sorting = el(
    'div',
    { class: 'chips' },
    el('span', { class: 'hint', 'aria-hidden': 'true' }, texts.sort),
    order,
  )
  const element = el('details', { class: 'facets', hidden: true }, summary, sorting, groups)
  /** The values of each field, as they were before one of them was chosen: a shopper may want a second one. */
  const known = new Map<string, Count[]>()

  function change(more: Partial<Query>): void {
    state.query = { ...state.query, ...more }
    run()
  }

  function toggle(field: string, value: Count['value']): void {
    const { facets } = state.query
    const chosen = facets?.[field] ?? []
    const next = chosen.includes(value) ? chosen.filter((one) => one !== value) : [...chosen, value]
    const { [field]: _, ...others } = facets ?? {}
    change({ facets: next.length > 0 ? { ...others, [field]: next } : others })
  }

  function buildGroup(field: string, found: Answer['facets']): HTMLElement | undefined {
    const counts = found?.[field]
    const fresh: Count[] = Array.isArray(counts) ? counts : []
    const chosen = state.query.facets?.[field]
    if (!chosen) known.set(field, fresh)
    const shown = (known.get(field) ?? fresh).slice(0, VALUES_MAX)
    for (const value of chosen ?? [])
      if (!shown.some((one) => one.value === value)) shown.push({ value, count: 0 })
    if (shown.length < 2 && !chosen) return undefined
    const name = texts[field as keyof Texts] ?? field.replaceAll('_', ' ')
    return el(
      'div',
      { class: 'chips', role: 'group', 'aria-label': name },
      el('span', { class: 'hint', 'aria-hidden': 'true' }, name),
      ...shown.map(({ value }) => {
        const count = fresh.find((one) => one.value === value)?.count
        const chip = buildChip(
          chosen?.includes(value) ?? false,
          () => toggle(field, value),
          typeof value === 'boolean' ? (value ? '✓' : '✕') : String(value),
          el('span', { class: 'count' }, count ? ` ${count}` : ''),
        )
        chip.dataset['value'] = `${field} ${value}`
        return chip
      }),
    )
  }

  return {
    element,
    show({ facets, results }) {
      const focused = (root.activeElement as HTMLElement | null)?.dataset['value']
      groups.replaceChildren(...fields.flatMap((field) => buildGroup(field, facets) ?? []))
      const count = Object.values(state.query.facets ?? {}).flat().length
      chosenCount.textContent = count > 0 ? `(${count})` : ''
      order.value = state.query.sort ?? ''
      element.hidden = groups.childElementCount === 0 && results.length < 2 && !order.value
      for (const chip of groups.querySelectorAll('button'))
        if (focused && chip.dataset['value'] === focused) chip.focus()
    },
  }
}
