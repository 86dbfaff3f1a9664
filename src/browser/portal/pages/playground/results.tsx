import type { Hit, SearchResponse } from '#generated/api.ts'
import { formatNumber, formatScore, formatShare } from '../../language.ts'
import { ProductTile, readShown } from '../../parts/product-tile.tsx'
import { addressOf } from '../../shell/routes.ts'
import { t } from './texts/texts.ts'

export interface ResultsProps {
  answer: SearchResponse | null
  isBusy: boolean
  threshold: number
  store: string
  onWords(words: string): void
  onLower(): void
}

/** The right side: what was found, best first, with the reasons. */
export function Results({ answer, isBusy, threshold, store, onWords, onLower }: ResultsProps) {
  if (!answer)
    return isBusy ? (
      <div aria-busy="true" />
    ) : (
      <div class="empty">
        <h2>{t.empty}</h2>
        <p>{t.emptyHint}</p>
      </div>
    )
  const shown = answer.results.filter(({ similarity_score }) => similarity_score >= threshold)
  const [best] = answer.results
  return (
    <div aria-busy={isBusy} class={isBusy ? 'stale' : undefined}>
      <p class="muted summary" role="status">
        {t.found(formatNumber(shown.length))} · {t.took(formatNumber(Math.round(answer.query_time_ms)))}
        {answer.query_categories && answer.query_categories.length > 0 && (
          <> · {`${t.looksLike} ${answer.query_categories[0]?.name}`}</>
        )}
      </p>
      {answer.did_you_mean !== undefined && (
        <p>
          {t.didYouMean}{' '}
          <button type="button" class="link" onClick={() => onWords(answer.did_you_mean ?? '')}>
            {answer.did_you_mean}
          </button>
        </p>
      )}
      {answer.warnings?.map((warning) => (
        <p key={warning} class="muted" lang="en">
          {warning}
        </p>
      ))}
      {shown.length === 0 && (
        <div class="empty">
          <h2>{t.noHit}</h2>
          {best && threshold > 0 && (
            <>
              <p>{t.guess(formatScore(threshold), nameOf(best))}</p>
              <button type="button" onClick={onLower}>
                {t.lower}
              </button>
            </>
          )}
        </div>
      )}
      <ul class="grid">
        {shown.map((hit) => (
          <li key={hit.product_id}>
            <ProductTile
              id={hit.product_id}
              src={hit.thumbnail_url}
              metadata={hit.metadata}
              href={`${addressOf(store, 'products')}?product=${encodeURIComponent(hit.product_id)}`}
            >
              <Score hit={hit} />
            </ProductTile>
          </li>
        ))}
      </ul>
    </div>
  )
}

const nameOf = ({ product_id, metadata, similarity_score }: Hit): string =>
  `${readShown(product_id, metadata).name} (${formatScore(similarity_score)})`

/** The score as a bar with its number; the reasons open in place. */
function Score({ hit: { similarity_score, explain } }: { hit: Hit }) {
  return (
    <>
      <span class="score">
        <progress value={similarity_score} max={1} aria-hidden="true" />
        {formatScore(similarity_score)}
      </span>
      {explain && (
        <details class="why">
          <summary>{t.why}</summary>
          <ul>
            {explain.cosine !== null && <li>{t.looks(formatShare(explain.similarity))}</li>}
            {Object.entries(explain.legs)
              .filter(([, weight]) => weight > 0)
              .map(([leg, weight]) => (
                <li key={leg}>
                  {t.leg[leg as keyof typeof t.leg] ?? leg} {formatScore(weight)}
                </li>
              ))}
            {explain.matched_words.map(({ word, field }) => (
              <li key={`${word} ${field}`}>{t.wordFound(word, field)}</li>
            ))}
          </ul>
        </details>
      )}
    </>
  )
}
