import type { Answer } from '../shapes.ts'
import { createDeadEndWarning } from './dead-ends.ts'
import { createFacets } from './facets.ts'
import { buildProposals, type Proposal, SHOWN_MAX } from './proposals.ts'
import { buildPopular, buildResults, createTools, describeHits, readAddress } from './results.ts'
import type { Parts } from './state.ts'

/** Words that are proposed beside the categories. */
const WORDS_MAX = 3

const lower = (text: string): string => text.toLowerCase()
const listWords = (text: string): string[] => text.split(/\s+/).filter(Boolean)

/** A chip `mug` beside the category `Mugs` would say the same twice. */
const isAlike = (name: string, word: string): boolean => name.startsWith(word) || word.startsWith(name)

/**
 * Shows answers: products, the parts of the picture, its categories and words.
 *
 * @param run searches again, after the shopper has chosen a category or words.
 */
export function createAnswers(
  { context, texts, speech, view, stage, outcome, state }: Parts,
  run: () => void,
): (answer: Answer) => void {
  const { options, root, emit } = context
  const { chips, field } = view
  const facets = createFacets({ context, texts, state }, run)
  view.headline.parentElement?.after(facets.element)
  /** Words that were proposed so far. */
  const offered = new Set<string>()
  const warnOfDeadEnds = createDeadEndWarning(options.data['url'])

  function toggleCategory(name: string): void {
    const { category, ...rest } = state.query
    state.query = category === name ? rest : { ...rest, category: name }
    run()
  }

  function searchWords(words: string): void {
    field.value = words
    state.query = { ...state.query, words }
    run()
  }

  function proposeCategories({ query_categories: found = [] }: Answer): Proposal[] {
    const { category: chosen } = state.query
    const names = found.map(({ name }) => name)
    // The chosen one stays, so that a second tap takes it away.
    const shown = chosen && !names.includes(chosen) ? [chosen, ...names] : names
    return shown.slice(0, SHOWN_MAX).map((name) => ({
      name,
      isChosen: name === chosen,
      choose: () => toggleCategory(name),
    }))
  }

  /** Proposes words of the first hits that say more than the categories. In the field they are words like any others. */
  function proposeWords({ query_words: found = [] }: Answer, categories: readonly Proposal[]): Proposal[] {
    const words = listWords(state.query.words)
    const said = words.map(lower)
    const known = categories.map(({ name }) => lower(name))
    const fresh = found
      .map(({ word }) => word)
      .filter((word) => !said.includes(lower(word)) && !known.some((name) => isAlike(name, lower(word))))
      .slice(0, WORDS_MAX)
    const chosen = words.filter((word) => offered.has(word))
    for (const word of fresh) offered.add(word)
    const toggle = (name: string, isChosen: boolean) => ({
      name,
      isChosen,
      choose: () =>
        searchWords((isChosen ? words.filter((word) => word !== name) : [...words, name]).join(' ')),
    })
    return [...chosen.map((name) => toggle(name, true)), ...fresh.map((name) => toggle(name, false))].slice(
      0,
      WORDS_MAX,
    )
  }

  function showProposals(answer: Answer): void {
    const categories = state.query.source ? proposeCategories(answer) : []
    const words = state.query.source ? proposeWords(answer, categories) : []
    const focused = chips.contains(root.activeElement) ? root.activeElement?.textContent : undefined
    chips.replaceChildren(...buildProposals([...categories, ...words], texts))
    for (const chip of chips.querySelectorAll('button')) if (chip.textContent === focused) chip.focus()
  }

  return (answer) => {
    const { source } = state.query
    const { search_id, popular = [], redirect_url } = answer
    const page = source ? undefined : readAddress(redirect_url)
    if (page) location.assign(page)
    // A product looks like itself, and the shopper is looking at it already.
    const hits = answer.results.filter(({ product_id }) => product_id !== source?.productId)
    const tools = createTools(context, texts, answer)
    if (hits.length > 0) {
      outcome.say(describeHits(hits, texts, speech.lang))
      outcome.add(buildResults(hits, tools))
      warnOfDeadEnds(hits)
    } else {
      outcome.say(texts.none)
      if (popular.length > 0) outcome.add(buildPopular(popular, tools))
    }
    facets.show(answer)
    if (source) stage.propose(answer)
    showProposals(answer)
    const { did_you_mean: meant } = answer
    if (meant) outcome.offer('didYouMean', () => searchWords(meant), meant)
    emit('results', { search_id, products: hits.map(({ product_id }) => product_id) })
  }
}
