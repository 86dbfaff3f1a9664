import type { ComponentChildren } from 'preact'
import { useMemo, useRef } from 'preact/hooks'
import type { Hit, SearchResponse } from '#generated/api.ts'
import { formatNumber, formatScore } from '../../language.ts'
import { Drawn } from '../../parts/drawn.tsx'
import { ProductTile, readShown } from '../../parts/product-tile.tsx'
import { useSteps } from '../../parts/use-steps.ts'
import { addressOf } from '../../shell/routes.ts'
import { InterpretedWords } from './interpreted.tsx'
import type { StoreFacts } from './plan.ts'
import type { Settings } from './question.ts'
import { t } from './texts/texts.ts'
import { useMoves } from './use-moves.ts'
import { Why } from './why.tsx'

export interface ResultsProps {
  answer: SearchResponse | null
  isBusy: boolean
  settings: Settings
  store: string
  facts: StoreFacts
  onWords(words: string): void
  onLower(): void
  /** Takes the words as they are, without what is understood of them. */
  onLiteral(): void
}

/** The hits that reach the lowest score. */
export const listShown = ({ results }: SearchResponse, { threshold }: Settings): Hit[] =>
  results.filter(({ similarity_score }) => similarity_score >= threshold)

/** The right side: what was found, best first, with the reasons. */
export function Results(props: ResultsProps) {
  const { answer, isBusy, settings, store } = props
  if (!answer)
    return isBusy ? (
      <div aria-busy="true" />
    ) : (
      <div class="empty">
        <Drawn which={0} />
        <h2>{t.empty}</h2>
        <p>{t.emptyHint}</p>
      </div>
    )
  const shown = listShown(answer, settings)
  return (
    <div aria-busy={isBusy} class={isBusy ? 'stale' : undefined}>
      <Understood {...props} answer={answer} count={shown.length} />
      {shown.length === 0 && <NoHit {...props} answer={answer} />}
      <Hits hits={shown} answer={answer} store={store} settings={settings} />
    </div>
  )
}

/** The tiles of one list. @param mark what stands under each tile, such as how it moved. */
export function Hits({
  hits,
  answer,
  store,
  settings,
  mark,
}: {
  hits: readonly Hit[]
  answer: SearchResponse
  store: string
  settings: Settings
  mark?: (hit: Hit, place: number) => ComponentChildren
}) {
  const list = useRef<HTMLUListElement>(null)
  const drawn = hits.slice(0, useSteps(hits.map(({ product_id }) => product_id)))
  useMoves(list, drawn.map(({ product_id }) => product_id).join(' '))
  return (
    <ul class="grid" ref={list}>
      {drawn.map((hit, n) => (
        <li key={hit.product_id} data-id={hit.product_id}>
          <HitTile {...{ hit, answer, store }} hasColors={settings.colors.length > 0}>
            {mark?.(hit, n)}
          </HitTile>
        </li>
      ))}
    </ul>
  )
}

interface HitTileProps {
  hit: Hit
  answer: SearchResponse
  store: string
  hasColors: boolean
  children: ComponentChildren
}

/** A tile with its score and its reasons. It is drawn once: those that come after it must not draw it again. */
const HitTile = ({ hit, answer, store, hasColors, children }: HitTileProps) =>
  useMemo(
    () => (
      <ProductTile
        id={hit.product_id}
        src={hit.thumbnail_url}
        metadata={hit.metadata}
        href={`${addressOf(store, 'products')}?product=${encodeURIComponent(hit.product_id)}`}
      >
        <span class="score">
          <progress value={hit.similarity_score} max={1} aria-hidden="true" />
          {formatScore(hit.similarity_score)}
        </span>
        {children}
        <Why hit={hit} answer={answer} hasColors={hasColors} />
      </ProductTile>
    ),
    [hit, answer, store, hasColors, children],
  )

const UNKNOWN_WORDS = /^unknown_words: (.*)$/

/** How many there are, and what the service made of the query. */
export function Understood({
  answer,
  count,
  facts,
  onWords,
  onLiteral,
}: Pick<ResultsProps, 'onWords' | 'onLiteral' | 'facts'> & { answer: SearchResponse; count: number }) {
  const { query_categories = [], query_words = [], did_you_mean, warnings = [] } = answer
  const [category] = query_categories
  const unknown = warnings.map((text) => UNKNOWN_WORDS.exec(text)?.[1]).find(Boolean)
  return (
    <>
      <p class="muted summary" role="status">
        {t.found(formatNumber(count))} · {t.took(formatNumber(Math.round(answer.query_time_ms)))}
        {category && ` · ${t.looksLike} ${category.name}`}
      </p>
      {answer.interpreted && (
        <InterpretedWords interpreted={answer.interpreted} facts={facts} onLiteral={onLiteral} />
      )}
      {did_you_mean !== undefined && (
        <p class="told">
          {t.didYouMean}{' '}
          <button type="button" class="link" onClick={() => onWords(did_you_mean)}>
            {did_you_mean}
          </button>
        </p>
      )}
      {unknown && <p class="told">{t.notUnderstood(unknown)}</p>}
      {query_words.length > 0 && (
        <p class="told muted">{t.agree(query_words.map(({ word }) => word).join(', '))}</p>
      )}
      {warnings
        .filter((text) => !UNKNOWN_WORDS.test(text))
        .map((text) => (
          <p key={text} class="told muted" lang="en">
            {text}
          </p>
        ))}
    </>
  )
}

const CATEGORIES_OFFERED = 3

/** Words for what a picture may show: what the service thinks, or what the store has most of. */
function listWords({ query_categories = [] }: SearchResponse, { fields }: StoreFacts): string[] {
  const ofStore = fields.find(({ field }) => field === 'category')?.values.map(({ value }) => String(value))
  const names = [...query_categories.map(({ name }) => name), ...(ofStore ?? [])]
  return [...new Set(names)].slice(0, CATEGORIES_OFFERED)
}

function NoHit({ answer, settings, facts, onWords, onLower }: ResultsProps & { answer: SearchResponse }) {
  const [best] = answer.results
  const words = listWords(answer, facts)
  return (
    <div class="empty">
      <h2>{t.noHit}</h2>
      {best && settings.threshold > 0 && (
        <>
          <p>{t.guess(formatScore(settings.threshold), nameOf(best))}</p>
          <button type="button" onClick={onLower}>
            {t.lower}
          </button>
        </>
      )}
      {words.length > 0 && (
        <p class="chips">
          {t.tellUs}{' '}
          {words.map((word) => (
            <button key={word} type="button" class="chip" onClick={() => onWords(word)}>
              {word}
            </button>
          ))}
        </p>
      )}
    </div>
  )
}

const nameOf = ({ product_id, metadata, similarity_score }: Hit): string =>
  `${readShown(product_id, metadata).name} (${formatScore(similarity_score)})`
