import type { Answer, Hit } from '../shapes.ts'
import { createDeadEndWarning } from './dead-ends.ts'
import { buildCategories } from './proposals.ts'
import { buildPopular, buildResults, describeHits, sortHits } from './results.ts'
import type { Parts } from './state.ts'

/**
 * Shows answers: products, the parts of the picture and its categories.
 *
 * @param run searches again, after the shopper has chosen a category.
 */
export function createAnswers(
  { context, texts, speech, view, stage, outcome, state }: Parts,
  run: () => void,
): (answer: Answer) => void {
  const { options, root, tracking, emit } = context
  const { chips } = view
  const warnOfDeadEnds = createDeadEndWarning(options.data['url'])

  /** @returns false if the browser must not follow the link. */
  function select({ product_id, metadata }: Hit, url?: string, search_id?: string): boolean {
    tracking.trackClick(product_id, search_id)
    return emit('select', { product_id, url, search_id, metadata }, true)
  }

  function toggleCategory(name: string): void {
    const { category, ...rest } = state.query
    state.query = category === name ? rest : { ...rest, category: name }
    run()
  }

  function showCategories({ query_categories: found = [] }: Answer): void {
    const names = state.query.source ? found.map(({ name }) => name) : []
    const focused = chips.contains(root.activeElement) ? root.activeElement?.textContent : undefined
    chips.replaceChildren(...buildCategories(names, state.query.category, texts, toggleCategory))
    for (const chip of chips.querySelectorAll('button')) if (chip.textContent === focused) chip.focus()
  }

  return (answer) => {
    const { source } = state.query
    const { search_id, popular = [] } = answer
    // A product looks like itself, and the shopper is looking at it already.
    const hits = answer.results.filter(({ product_id }) => product_id !== source?.productId)
    const tools = {
      texts,
      lang: options.lang,
      url: options.data['url'],
      onSelect: (hit: Hit, url: string | undefined) => select(hit, url, search_id),
    }
    if (hits.length > 0) {
      const sorted = sortHits(hits)
      outcome.say(describeHits(hits, sorted, texts, speech.lang))
      outcome.add(buildResults(sorted, tools))
      warnOfDeadEnds(hits)
    } else {
      outcome.say(texts.none)
      if (popular.length > 0) outcome.add(buildPopular(popular, tools))
    }
    if (source) stage.propose(answer)
    showCategories(answer)
    emit('results', { search_id, products: hits.map(({ product_id }) => product_id) })
  }
}
