/** The dialog: what `/widget.js` fetches with the first use. */

import { el, sheet } from '../dom.ts'
import { readRefusal } from '../loader/client.ts'
import { theme } from '../loader/styles.ts'
import type { Answer, Box, Context, Hit, OpenRequest, Panel } from '../shapes.ts'
import { listenToBackdrop } from './backdrop.ts'
import { readClipboard } from './clipboard.ts'
import { countDown } from './count-down.ts'
import { createDeadEndWarning } from './dead-ends.ts'
import { readDropped } from './dropped.ts'
import { loadPreview, PictureError, preparePicture } from './picture.ts'
import { buildCategories } from './proposals.ts'
import { buildPopular, buildResults, buildSkeleton, describeHits, sortHits } from './results.ts'
import { findProblem, type Problem, type Query, search } from './search.ts'
import { createStage } from './stage.ts'
import { DARK, STYLES } from './styles.ts'
import { findSpeech, pickTexts } from './texts.ts'
import { buildView } from './view.ts'

/** Before that, grey shapes would only flash. */
const SKELETON_MS = 150
const SLOW_MS = 8_000
const BUSY_SECONDS = 20

export function start(context: Context): Panel {
  const { options, root, tracking, emit } = context
  const texts = pickTexts(options.lang, options.texts)
  const speech = findSpeech(options.lang, options.texts)
  const isInline = options.mode === 'inline'
  root.adoptedStyleSheets.push(sheet(STYLES), sheet(theme(options.theme, DARK)))

  let query: Query = { words: '' }
  let running: AbortController | undefined
  let stopTimers = () => {}
  let opener: HTMLElement | undefined
  /** Pictures that were chosen; only the last one counts. */
  let chosen = 0
  let isOffline = false
  let isCounting = false
  const warnOfDeadEnds = createDeadEndWarning(options.data['url'])
  /** Ends an upload, which goes on while the shopper narrows its search. */
  let sending: AbortController | undefined

  const view = buildView(texts, speech, isInline, {
    onFile: (file) => void takeFile(file),
    onWords: takeWords,
    onPaste: () => void paste(),
    onRemove: reset,
    onClose: close,
  })
  const { element, field, folds, chips, headline, notice, out, status, panel } = view
  const dialog = element instanceof HTMLDialogElement ? element : undefined
  const stage = createStage(root, view, texts, (box) => narrow(box))
  root.append(element)

  dialog?.addEventListener('close', () => {
    // The page may have opened it again before the browser says so.
    if (dialog.open) return
    leave()
    opener?.focus()
  })
  if (dialog) listenToBackdrop(dialog, close)
  dialog?.addEventListener('dragover', () => element.classList.add('dragging'))
  for (const name of ['dragleave', 'drop'])
    element.addEventListener(name, () => element.classList.remove('dragging'))
  const goOn = () => {
    if (isOffline) run()
  }
  addEventListener('online', goOn)

  function stopSearch(): void {
    running?.abort()
    running = undefined
    stopTimers()
    out.removeAttribute('aria-busy')
  }

  function stopAll(): void {
    stopSearch()
    sending?.abort()
    sending = undefined
  }

  /** Ends everything that would still send or show something: the shopper has gone. */
  function leave(): void {
    chosen += 1
    // What was still looked for is not shown half.
    if (running || isOffline || isCounting) clear()
    stopAll()
    stage.set(query.crop)
  }

  /** Shows a text, and lets screen readers say it once. */
  function say(text: string, spoken = text): void {
    headline.textContent = text
    status.textContent = spoken
  }

  /** Empties what the last search has left. */
  function clear(): void {
    isOffline = false
    isCounting = false
    // The focus stays in the dialog when the button that has it goes.
    if (notice.contains(root.activeElement)) view.rest()
    headline.textContent = ''
    status.textContent = ''
    notice.replaceChildren()
    out.replaceChildren()
  }

  /** Forgets the query, and shows the dialog as it was first. */
  function reset(): void {
    chosen += 1
    stopAll()
    clear()
    query = { words: '' }
    field.value = ''
    showPicture(undefined)
    chips.replaceChildren()
    folds.fold()
    panel.classList.replace('filled', 'empty')
    view.removal.hidden = true
    view.rest()
  }

  /** Folds what was asked for, so that what was found stands in its place. */
  function fill(): void {
    folds.fold()
    panel.classList.replace('empty', 'filled')
    view.removal.hidden = !query.source
    // What had the focus may be folded now.
    if (root.activeElement?.checkVisibility() === false) view.rest()
  }

  function showPicture(picture: HTMLCanvasElement | undefined): void {
    stage.show(picture)
    const hint = query.source ? texts.refine : texts.field
    field.placeholder = hint
    field.ariaLabel = hint
  }

  /** Begins a search with another source; words and category belonged to the last one. */
  function begin(source: NonNullable<Query['source']>, picture: HTMLCanvasElement | undefined): void {
    stopAll()
    query = { source, words: '' }
    field.value = ''
    chips.replaceChildren()
    showPicture(picture)
    fill()
    run()
  }

  async function takeFile(file: Blob): Promise<void> {
    const turn = ++chosen
    stopAll()
    clear()
    try {
      const picture = await preparePicture(file)
      if (turn === chosen) begin({ picture }, picture.canvas)
    } catch (error) {
      if (turn !== chosen) return
      const problem = error instanceof PictureError ? error.fault : 'unreadable'
      // What is searched for now is not what the shopper has chosen last.
      query = { words: '' }
      showPicture(undefined)
      chips.replaceChildren()
      field.value = ''
      fill()
      say(texts[problem])
      notice.replaceChildren(chooseButton())
      emit('error', { code: problem })
    }
  }

  function takeAddress(url: string, productId?: string): void {
    const turn = ++chosen
    begin({ url, ...(productId && { productId }) }, undefined)
    void loadPreview(url).then((canvas) => {
      if (canvas && turn === chosen) stage.complete(canvas, query.crop)
    })
  }

  function takeWords(words: string): void {
    if (/^https?:\/\/\S+$/i.test(words)) {
      takeAddress(words)
      return
    }
    if (!words && !query.source) {
      field.focus()
      return
    }
    query = { ...query, words }
    if (!query.source) delete query.category
    fill()
    // The keyboard of a phone would lie on what is found.
    if (view.isTouched) view.rest()
    run()
  }

  async function paste(): Promise<void> {
    // The browser asks the shopper, who may have gone or chosen something else meanwhile.
    const turn = chosen
    const { file, url } = await readClipboard()
    if (turn !== chosen) return
    if (file) await takeFile(file)
    else if (url) takeAddress(url)
    else field.focus()
  }

  function narrow(crop: Box | undefined): void {
    const { crop: _, ...rest } = query
    query = { ...rest, ...(crop && { crop }) }
    stage.mark(crop)
    run()
  }

  function run(): void {
    stopSearch()
    const controller = new AbortController()
    running = controller
    sending ??= new AbortController()
    clear()
    out.setAttribute('aria-busy', 'true')
    const showing = setTimeout(() => {
      headline.textContent = texts.looking
      out.replaceChildren(buildSkeleton())
    }, SKELETON_MS)
    const waiting = setTimeout(() => {
      say(texts.slow)
      notice.replaceChildren(againButton())
    }, SLOW_MS)
    stopTimers = () => {
      clearTimeout(showing)
      clearTimeout(waiting)
    }
    search(context, query, controller.signal, sending.signal).then(
      (answer) => {
        if (running !== controller) return
        try {
          show(answer)
        } catch (error) {
          // What has answered is not the service, or not this version of it.
          fail(error)
        }
      },
      (error: unknown) => {
        if (running === controller) fail(error)
      },
    )
  }

  const runAgain = () => {
    stopAll()
    run()
  }
  const againButton = () =>
    el('button', { type: 'button', class: 'plain', part: 'again', click: runAgain }, texts.again)
  const chooseButton = () =>
    el('button', { type: 'button', class: 'plain', part: 'again', click: view.choose }, texts.choose)

  function show(answer: Answer): void {
    stopSearch()
    clear()
    // A product looks like itself, and the shopper is looking at it already.
    const hits = answer.results.filter(({ product_id }) => product_id !== query.source?.productId)
    const tools = {
      ...{ texts, lang: options.lang, url: options.data['url'] },
      onSelect: (hit: Hit, url: string | undefined) => select(hit, url, answer.search_id),
    }
    if (hits.length === 0) {
      say(texts.none)
      const popular = answer.popular ?? []
      if (popular.length > 0) out.append(...buildPopular(popular, tools))
    } else {
      const sorted = sortHits(hits)
      say(describeHits(hits, sorted, texts, speech.lang))
      out.append(...buildResults(sorted, tools))
      warnOfDeadEnds(hits)
    }
    if (query.source) stage.propose(answer)
    showCategories(answer)
    emit('results', { search_id: answer.search_id, products: hits.map(({ product_id }) => product_id) })
  }

  function showCategories({ query_categories: found = [] }: Answer): void {
    const names = query.source ? found.map(({ name }) => name) : []
    const focused = chips.contains(root.activeElement) ? root.activeElement?.textContent : undefined
    const chosenName = query.category
    const built = buildCategories(names, chosenName, texts, (name) => {
      const { category, ...rest } = query
      query = category === name ? rest : { ...rest, category: name }
      run()
    })
    chips.replaceChildren(...built)
    for (const chip of chips.querySelectorAll('button')) if (chip.textContent === focused) chip.focus()
  }

  function fail(error: unknown): void {
    stopSearch()
    clear()
    const problem: Problem = findProblem(error)
    emit('error', { code: readRefusal(error)?.code || problem })
    if (problem === 'busy') {
      const seconds = readRefusal(error)?.retryAfter ?? BUSY_SECONDS
      const text = (left: number) => texts.busy.replace('{n}', String(left))
      // Screen readers hear of the first number only.
      say(text(seconds))
      isCounting = true
      stopTimers = countDown(seconds, (left) => {
        headline.textContent = left > 0 ? text(left) : ''
        isCounting = left > 0
        if (!isCounting) notice.replaceChildren(againButton())
      })
      return
    }
    say(texts[problem])
    isOffline = problem === 'offline'
    if (problem === 'failed' || problem === 'notLoaded') notice.replaceChildren(againButton())
    if (problem === 'unreadable' || problem === 'small' || problem === 'big')
      notice.replaceChildren(chooseButton())
  }

  /** @returns false if the browser must not follow the link. */
  function select(hit: Hit, url: string | undefined, searchId: string | undefined): boolean {
    tracking.trackClick(hit.product_id, searchId)
    return emit(
      'select',
      { product_id: hit.product_id, url, search_id: searchId, metadata: hit.metadata },
      true,
    )
  }

  function open({ dropped, ...request }: OpenRequest, from?: HTMLElement): void {
    const { file, url, product_id: productId, query: words } = dropped ? readDropped(dropped) : request
    const address = url && /^https?:/i.test(url) ? url : undefined
    if (dialog) {
      if (!dialog.open) {
        opener = from
        context.shelter()
        dialog.showModal()
        // What the browser takes for the first control is the one that closes.
        view.greet()
      }
    } else {
      context.shelter()
      root.querySelector<HTMLElement>('.open')?.setAttribute('hidden', '')
      element.scrollIntoView({ block: 'nearest' })
      view.greet()
    }
    emit('open')
    if (file) void takeFile(file)
    else if (address) takeAddress(address, productId)
    else if (productId) {
      chosen += 1
      begin({ productId }, undefined)
    } else if (words) {
      reset()
      field.value = words
      takeWords(words)
    }
  }

  function close(): void {
    if (dialog) dialog.close()
    else {
      reset()
      root.querySelector<HTMLElement>('.open')?.removeAttribute('hidden')
      element.remove()
    }
  }

  return {
    open: (request, from) => {
      if (!element.isConnected) root.append(element)
      open(request, from)
    },
    close,
    settle() {
      if (!dialog?.open || dialog.matches(':modal')) return
      if (!dialog.isConnected) dialog.close()
      else {
        dialog.open = false
        context.shelter()
        dialog.showModal()
      }
    },
    destroy() {
      leave()
      removeEventListener('online', goOn)
      dialog?.close()
      element.remove()
    },
  }
}
