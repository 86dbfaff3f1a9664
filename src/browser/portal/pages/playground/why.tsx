import { useState } from 'preact/hooks'
import type { Hit, ScoreExplanation, SearchResponse } from '#generated/api.ts'
import { formatShare, formatSigned } from '../../language.ts'
import { t } from './texts/texts.ts'

/** Less than this is nothing that a person would call a reason. Votes and colours count in log-odds, the rest often in cosines. */
const FELT = 0.005
const FELT_ODDS = 0.1

/** Says in words what made a score. What was lost has its number; nothing else is ever added. */
function listReasons(
  { cosine, legs, similarity, matched_words, rules }: ScoreExplanation,
  { query_categories = [], boosted_category }: SearchResponse,
  hasColors: boolean,
): string[] {
  const hasCategory = query_categories.length > 0 || boosted_category !== undefined
  const lost = (leg: number, felt: number, say: (much: string) => string, otherwise: string | false) =>
    leg < -felt ? say(formatSigned(leg)) : otherwise
  return [
    cosine !== null && t.looks(formatShare(similarity)),
    legs.text > FELT && t.fitsWords,
    lost(legs.category, FELT, t.otherCategory, hasCategory && t.sameCategory),
    lost(legs.color, FELT_ODDS, t.missesColor, hasColors && t.hasColor),
    lost(legs.second_look, FELT_ODDS, t.unlikeBest, false),
    legs.clicks > 0 && t.clicked,
    ...matched_words.map(({ word, field }) =>
      t.wordFound(word, t.fieldNames[field as keyof typeof t.fieldNames] ?? field),
    ),
    ...rules.map(({ name, action }) => t.ruled[action](name)),
  ].filter((reason) => reason !== false)
}

/** The reasons of one hit, which open in place. */
export function Why({
  hit: { explain },
  answer,
  hasColors,
}: {
  hit: Hit
  answer: SearchResponse
  hasColors: boolean
}) {
  const [isOpen, setOpen] = useState(false)
  if (!explain) return null
  return (
    <details class="why" onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary>{t.why}</summary>
      {isOpen && (
        <ul>
          {listReasons(explain, answer, hasColors).map((reason) => (
            <li key={reason}>{reason}</li>
          ))}
        </ul>
      )}
    </details>
  )
}
