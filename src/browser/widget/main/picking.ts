import type { Box, OpenRequest } from '../shapes.ts'
import { readClipboard } from './clipboard.ts'
import { loadPreview, PictureError, preparePicture } from './picture.ts'
import type { Query } from './search.ts'
import type { Searching } from './searching.ts'
import type { Parts } from './state.ts'

/** Turns the shopper's choices into the query: pictures, addresses, products, words and parts of a picture. */
export interface Picking {
  /** Searches with the first that a request has. */
  take(request: OpenRequest): void
  takeFile(file: Blob): Promise<void>
  takeWords(words: string): void
  paste(): Promise<void>
  /** Searches with a part of the picture; undefined is all of it. */
  narrow(crop: Box | undefined): void
  /** Forgets the query, and shows the dialog as it was first. */
  reset(): void
  /** Drops what is not searched with yet: the shopper has gone. */
  abandon(): void
}

const isAddress = (text: string) => /^https?:\/\/\S+$/i.test(text)

export function createPicking(
  { context, texts, view, stage, outcome, state }: Parts,
  searching: Searching,
): Picking {
  const { root, emit } = context
  const { field, folds, chips, panel, removal } = view
  /** Picks so far. A picture that is read, or shown, too late is of an earlier one. */
  let picks = 0

  /** Folds the ways to ask, so that the products take their place. */
  function fill(): void {
    folds.fold()
    panel.classList.replace('empty', 'filled')
    removal.hidden = !state.query.source
    // The focused element may be folded now.
    if (root.activeElement?.checkVisibility() === false) view.rest()
  }

  /** Replaces the query. Words and category belonged to the last one. */
  function replace(query: Query, picture?: HTMLCanvasElement): void {
    state.query = query
    field.value = ''
    chips.replaceChildren()
    stage.show(picture)
    const hint = query.source ? texts.refine : texts.field
    field.placeholder = hint
    field.ariaLabel = hint
  }

  function begin(source: NonNullable<Query['source']>, picture?: HTMLCanvasElement): void {
    searching.stop()
    replace({ source, words: '' }, picture)
    fill()
    searching.run()
  }

  async function takeFile(file: Blob): Promise<void> {
    const pick = ++picks
    searching.stop()
    searching.clear()
    try {
      const picture = await preparePicture(file)
      if (pick === picks) begin({ picture }, picture.canvas)
    } catch (error) {
      if (pick !== picks) return
      const problem = error instanceof PictureError ? error.fault : 'unreadable'
      // The last query is not what the shopper has picked last.
      replace({ words: '' })
      fill()
      outcome.say(texts[problem])
      outcome.offer('choose', view.choose)
      emit('error', { code: problem })
    }
  }

  function takeAddress(url: string, productId?: string): void {
    const pick = ++picks
    begin({ url, ...(productId && { productId }) })
    void loadPreview(url).then((canvas) => {
      if (canvas && pick === picks) stage.complete(canvas, state.query.crop)
    })
  }

  function takeProduct(productId: string): void {
    picks += 1
    begin({ productId })
  }

  function takeWords(words: string): void {
    const { source, category, facets, ...rest } = state.query
    if (isAddress(words)) takeAddress(words)
    else if (!words && !source) field.focus()
    else {
      // Without a picture there are no categories to choose from.
      state.query = source ? { ...state.query, words } : { ...rest, words }
      fill()
      // The keyboard of a phone would lie on what is found.
      if (view.isTouched) view.rest()
      searching.run()
    }
  }

  function reset(): void {
    picks += 1
    searching.stop()
    searching.clear()
    replace({ words: '' })
    folds.fold()
    panel.classList.replace('filled', 'empty')
    removal.hidden = true
    view.rest()
  }

  return {
    takeFile,
    takeWords,
    reset,
    take({ file, url, product_id: productId, query: words }) {
      if (file) void takeFile(file)
      else if (url && /^https?:/i.test(url)) takeAddress(url, productId)
      else if (productId) takeProduct(productId)
      else if (words) {
        reset()
        field.value = words
        takeWords(words)
      }
    },
    async paste() {
      // The browser asks the shopper, who may have gone or picked something else meanwhile.
      const pick = picks
      const { file, url } = await readClipboard()
      if (pick !== picks) return
      if (file) await takeFile(file)
      else if (url) takeAddress(url)
      else field.focus()
    },
    narrow(crop) {
      const { crop: _, ...rest } = state.query
      state.query = { ...rest, ...(crop && { crop }) }
      stage.mark(crop)
      searching.run()
    },
    abandon() {
      picks += 1
      searching.abandon()
      // A frame that was moved but not searched with goes back.
      stage.set(state.query.crop)
    },
  }
}
