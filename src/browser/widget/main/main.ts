/** The dialog: what `/widget.js` fetches with the first use. */

import { findSpeech, pickTexts } from './texts.ts'

// The texts come first in the file: in one block of gzip, and not among the code, they take 100 bytes less.

import { sheet } from '../dom.ts'
import { theme } from '../loader/styles.ts'
import type { Context, Panel } from '../shapes.ts'
import { buildView } from './dialog-view.ts'
import { createOutcome } from './outcome.ts'
import { createPanel } from './panel.ts'
import { createPicking } from './picking.ts'
import { createRows } from './rows.ts'
import { createSearching } from './searching.ts'
import { createStage } from './stage.ts'
import type { Parts } from './state.ts'
import { DARK, LIST, LIST_DARK, STYLES } from './styles.ts'
import { completeField } from './suggest.ts'

/**
 * Builds the dialog from three controllers over one state: `picking` makes the query, `searching` asks the service and
 * shows the outcome, `panel` opens and closes.
 */
export function start(context: Context): Panel {
  const { options, root } = context
  const texts = pickTexts(options.lang, options.texts)
  const speech = findSpeech(options.lang, options.texts)
  root.adoptedStyleSheets.push(sheet(STYLES), sheet(theme(options.theme, DARK)))
  const view = buildView(texts, speech, options.mode === 'inline', {
    onFile: (file) => void picking.takeFile(file),
    onWords: (words) => picking.takeWords(words),
    onPaste: () => void picking.paste(),
    onRemove: () => picking.reset(),
    onClose: () => panel.close(),
  })
  const parts: Parts = {
    context,
    texts,
    speech,
    view,
    stage: createStage(root, view, texts, (box) => picking.narrow(box)),
    outcome: createOutcome(root, view, texts),
    state: { query: { words: '' } },
  }
  const searching = createSearching(parts)
  const picking = createPicking(parts, searching)
  const panel = createPanel(parts, searching, picking)
  const fill = createRows(parts)
  /** What ends the completion of fields. */
  const ends = new Map<HTMLInputElement, () => void>()
  function complete(field: HTMLInputElement, tree: Document | ShadowRoot = document): void {
    if (ends.has(field)) return
    const rules = sheet('')
    tree.adoptedStyleSheets = [
      ...tree.adoptedStyleSheets,
      sheet(LIST),
      sheet(theme(options.theme, LIST_DARK)),
      rules,
    ]
    ends.set(field, completeField(field, context.client, texts.search, rules))
  }
  complete(view.field, root)
  return {
    ...panel,
    fill,
    complete,
    destroy() {
      for (const end of ends.values()) end()
      panel.destroy()
    },
  }
}
