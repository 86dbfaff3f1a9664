import { CAMERA, el, icon } from '../dom.ts'
import { buildFolds, type Folds } from './folds.ts'
import type { Speech, Texts } from './texts.ts'

const GO = 'M15.5 15.5 21 21M17.5 10.5a7 7 0 1 1-14 0 7 7 0 0 1 14 0Z'
const CLOSE = 'M6 6l12 12M18 6 6 18'
const ACCEPT = 'image/jpeg,image/png,image/webp'

/** The shopper's actions. */
interface Actions {
  onFile(file: Blob): void
  onWords(words: string): void
  onPaste(): void
  onRemove(): void
  onClose(): void
}

/** The nodes of the dialog that change. */
export interface View {
  /** The dialog, or the section of an inline widget. */
  element: HTMLElement
  field: HTMLInputElement
  folds: Folds
  side: HTMLElement
  chips: HTMLElement
  headline: HTMLElement
  notice: HTMLElement
  out: HTMLElement
  /** The sentence for screen readers, set once for each search. */
  status: HTMLElement
  panel: HTMLElement
  removal: HTMLElement
  /** Fingers are what the shopper points with. */
  isTouched: boolean
  /** Opens the browser's choice of a file. */
  choose(): void
  /** Puts the focus where the shopper begins: into the field, unless that brings up a keyboard. */
  greet(): void
  /** Puts the focus where the shopper goes on: before what was found, if anything was looked for. */
  rest(): void
}

/** Builds the dialog without anything in it, or a section in place of it. */
export function buildView(texts: Texts, speech: Speech, isInline: boolean, actions: Actions): View {
  const pick = (attributes: Record<string, string>) => {
    const input: HTMLInputElement = el('input', {
      type: 'file',
      accept: ACCEPT,
      hidden: true,
      ...attributes,
      change: () => {
        const [file] = input.files ?? []
        if (file) actions.onFile(file)
        // The same file can be chosen again.
        input.value = ''
      },
    })
    return input
  }
  const chosen = pick({ 'data-way': 'choose' })
  const taken = pick({ 'data-way': 'photo', capture: 'environment' })
  const way = (text: string, click: () => void, path?: string) =>
    el('button', { type: 'button', class: 'plain', part: 'action', click }, path && icon(path), text)

  const field = el('input', {
    // Not of type search, in which Escape empties the field and leaves the dialog open.
    type: 'text',
    role: 'searchbox',
    part: 'field',
    'aria-label': texts.field,
    placeholder: texts.field,
    maxlength: 500,
    autocomplete: 'off',
    enterkeyhint: 'search',
  })
  const form = el(
    'form',
    {
      role: 'search',
      submit: (event) => {
        event.preventDefault()
        actions.onWords(field.value.trim())
      },
    },
    field,
    el(
      'button',
      { class: 'go', part: 'submit', title: texts.search },
      icon(GO),
      el('span', { class: 'label' }, texts.search),
    ),
  )
  const removal = way(texts.remove, actions.onRemove)
  removal.hidden = true
  const isTouched = matchMedia('(pointer: coarse)').matches
  const ways = el(
    'div',
    { class: 'ways' },
    el('p', { class: 'hint' }, texts.dropHint),
    el(
      'div',
      { class: 'buttons' },
      isTouched ? way(texts.photo, () => taken.click(), CAMERA) : undefined,
      way(texts.choose, () => chosen.click()),
      // Only some browsers let a page read the clipboard; the keys for pasting work everywhere.
      'read' in (navigator.clipboard ?? {}) ? way(texts.paste, actions.onPaste) : undefined,
      removal,
    ),
    chosen,
    taken,
  )
  const title = el('h2', { part: 'title', id: 'title', tabindex: -1 }, texts.title)
  const side = el('div', { class: 'side', id: 'side' })
  const chips = el('div', { class: 'chips' })
  const headline = el('p', { class: 'headline', part: 'headline', id: 'headline' })
  const notice = el('div', { class: 'notice', part: 'notice' })
  const out = el('div', { class: 'out' })
  const status = el('p', { class: 'unseen', role: 'status', part: 'status' })
  const results = el(
    'div',
    { class: 'results', tabindex: -1 },
    el('div', { class: 'bar' }, headline, chips),
    notice,
    out,
  )
  const panel = el('div', { class: 'in empty' })
  const folds = buildFolds(texts, panel, () => {
    // The row stays when the shopper scrolls, and what it opens stands at the top.
    element.scrollTop = 0
  })
  const closing = el(
    'button',
    { type: 'button', class: 'close', part: 'close', 'aria-label': texts.close, click: actions.onClose },
    icon(CLOSE),
  )
  panel.append(
    el('div', { class: 'head' }, title, ...(isInline ? [] : [closing]), folds.crop, folds.another, form),
    el(
      'div',
      { class: 'start', id: 'ways' },
      ways,
      el(
        'div',
        { class: 'privacy' },
        el('p', {}, texts.privacy),
        el('details', {}, el('summary', {}, texts.privacyMore), el('p', {}, texts.privacyAnswer)),
      ),
    ),
    el('div', { class: 'main' }, side, results),
    status,
  )
  const wrap = el('div', { class: 'wrap' }, panel)
  const rest = (first: HTMLElement) => {
    const place = panel.classList.contains('empty') ? first : results
    place.focus({ preventScroll: true })
  }
  const attributes = { part: 'dialog', 'aria-labelledby': 'title', lang: speech.lang, dir: speech.dir }
  const element = isInline
    ? el('section', { class: 'panel inline', ...attributes }, wrap)
    : el('dialog', { class: 'panel', ...attributes }, wrap)
  return {
    ...{ element, field, folds, side, chips, headline, notice, out, status, panel, removal, isTouched },
    choose: () => chosen.click(),
    greet() {
      if (isTouched) rest(title)
      else field.focus({ preventScroll: true })
    },
    rest: () => rest(isTouched ? title : field),
  }
}
