import { el } from '../dom.ts'
import type { Client } from '../loader/client.ts'

/** How long a shopper rests before the service is asked, and the fewest characters. */
const REST_MS = 150
const CHARS_MIN = 2

interface Suggestion {
  query: string
  image_url?: string
}

let lists = 0

const buildOption = (
  suggestion: Suggestion,
  id: string,
  choose: (suggestion: Suggestion) => void,
): HTMLElement =>
  el(
    'div',
    { id, role: 'option', 'aria-selected': 'false', click: () => choose(suggestion) },
    suggestion.image_url ? el('img', { src: suggestion.image_url, alt: '', loading: 'lazy' }) : el('span'),
    el('span', { dir: 'auto' }, suggestion.query),
  )

/**
 * Completes a field: a combobox after WAI-ARIA, whose focus stays in the field. Enter without
 * a chosen line sends the field's own form as ever.
 *
 * @param sheets gets the style sheet of the list, in the tree of the field.
 * @returns a function that takes it away.
 */
export function completeField(
  field: HTMLInputElement,
  { call }: Client,
  label: string,
  rules: CSSStyleSheet,
): () => void {
  const id = `service-list-${++lists}`
  const list = el('div', {
    class: 'service-list',
    id,
    role: 'listbox',
    'aria-label': label,
    popover: 'manual',
  })
  const ending = new AbortController()
  const { signal } = ending
  const passive = { signal, passive: true, capture: true }
  let asking: AbortController | undefined
  let resting: ReturnType<typeof setTimeout> | undefined
  let active: Element | undefined
  /** What the field holds came from the list. */
  let isChosen = false

  const set = (name: string, value: string) => field.setAttribute(name, value)
  const drop = (name: string) => field.removeAttribute(name)

  function activate(option: Element | null | undefined): void {
    active?.setAttribute('aria-selected', 'false')
    active = option ?? undefined
    active?.setAttribute('aria-selected', 'true')
    active?.scrollIntoView({ block: 'nearest' })
    if (active) set('aria-activedescendant', active.id)
    else drop('aria-activedescendant')
  }

  function close(): void {
    clearTimeout(resting)
    asking?.abort()
    activate(null)
    list.remove()
    expand(false)
    drop('aria-controls')
  }

  function lay(): void {
    if (!list.isConnected) return
    const { left, bottom, width } = field.getBoundingClientRect()
    rules.replaceSync(`#${id}{left:${left}px;top:${bottom + 4}px;width:${width}px}`)
  }

  function choose({ query }: Suggestion): void {
    close()
    isChosen = true
    // Frameworks watch the property of the element, and would take back what goes through it.
    Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, 'value')?.set?.call(field, query)
    field.dispatchEvent(new Event('input', { bubbles: true }))
    isChosen = false
    field.form?.requestSubmit()
  }

  function show(found: readonly Suggestion[]): void {
    if (found.length === 0 || (field.getRootNode() as Document).activeElement !== field) {
      close()
      return
    }
    activate(null)
    list.replaceChildren(...found.map((suggestion, n) => buildOption(suggestion, `${id}-${n}`, choose)))
    if (!list.isConnected) field.parentElement?.append(list)
    list.showPopover?.()
    lay()
    expand(true)
    set('aria-controls', id)
  }

  async function ask(query: string): Promise<void> {
    asking = new AbortController()
    const { suggestions } = await call<{ suggestions: Suggestion[] }>(
      'search/suggestions',
      { query },
      { signal: asking.signal },
    )
    show(suggestions)
  }

  set('autocomplete', 'off')
  set('aria-autocomplete', 'list')
  // A search box has no such state; a field of the shop becomes a combobox.
  const isCombobox = !field.hasAttribute('role')
  if (isCombobox) set('role', 'combobox')
  const expand = (isOpen: boolean) => isCombobox && set('aria-expanded', String(isOpen))
  expand(false)

  function type(): void {
    if (isChosen) return
    const query = field.value.trim()
    clearTimeout(resting)
    asking?.abort()
    if (query.length < CHARS_MIN || /^https?:/i.test(query)) close()
    else resting = setTimeout(() => void ask(query).catch(() => {}), REST_MS)
  }

  field.addEventListener('input', type, { signal })
  field.addEventListener(
    'keydown',
    (event) => {
      const { key } = event
      if (event.isComposing) return
      if (!list.isConnected) {
        // What is sent or left needs no completion any more.
        if (key === 'Enter' || key === 'Escape') close()
        return
      }
      if (key === 'ArrowDown') activate(active ? active.nextElementSibling : list.firstElementChild)
      else if (key === 'ArrowUp') activate(active ? active.previousElementSibling : list.lastElementChild)
      else if (key === 'Enter' && active) (active as HTMLElement).click()
      else {
        if (key === 'Enter' || key === 'Escape') close()
        if (key !== 'Escape') return
      }
      event.preventDefault()
      // The dialog around the field stays open.
      event.stopPropagation()
    },
    { signal, capture: true },
  )
  field.addEventListener('blur', close, { signal })
  // A press keeps the focus in the field.
  list.addEventListener('mousedown', (event) => event.preventDefault())
  addEventListener('scroll', lay, passive)
  addEventListener('resize', lay, passive)
  // Somebody has begun before the main file was there.
  type()

  return () => {
    ending.abort()
    close()
    drop('aria-autocomplete')
    if (!isCombobox) return
    drop('role')
    drop('aria-expanded')
  }
}
