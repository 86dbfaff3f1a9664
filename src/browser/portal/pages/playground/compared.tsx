import type { Hit, SearchResponse } from '#generated/api.ts'
import { formatNumber, formatShare } from '../../language.ts'
import type { Settings } from './question.ts'
import { Hits, listShown, type ResultsProps, Understood } from './results.tsx'
import { t } from './texts/texts.ts'

/** What one list of settings has that the other one has not, in words. */
function describe(one: Settings, other: Settings): string[] {
  const isOther = (name: keyof Settings) => JSON.stringify(one[name]) !== JSON.stringify(other[name])
  const texts: Partial<Record<keyof Settings, string>> = {
    view: one.view === 'shoppers' ? t.shoppers : t.everything,
    cuts: one.cuts ? t.cuts : t.cutsNot,
    secondLook: one.secondLook ? t.secondLook : t.secondLookNot,
    interprets: one.interprets ? t.interprets : t.interpretsNot,
    weight: `${t.weight} ${formatShare(one.weight)}`,
    join: t.joins[one.join],
    aggregation: t.aggregations[one.aggregation],
    colors: `${t.wantedColors}: ${one.colors.length}`,
    category: one.category || t.anyCategory,
    priceMin: `${t.priceMin} ${one.priceMin || '–'}`,
    priceMax: `${t.priceMax} ${one.priceMax || '–'}`,
    values: Object.values(one.values).filter(Boolean).join(', ') || t.noFilter,
  }
  return (Object.keys(texts) as (keyof Settings)[]).filter(isOther).map((name) => texts[name] ?? '')
}

/** Says how a hit moved against another list. */
function Move({ id, place, before }: { id: string; place: number; before: ReadonlyMap<string, number> }) {
  const former = before.get(id)
  if (former === undefined) return <span class="move new">{t.isNew}</span>
  if (former === place) return <span class="move muted">=</span>
  const steps = formatNumber(Math.abs(former - place))
  return former > place ? (
    <span class="move up">
      <span aria-hidden="true">↑ {steps}</span>
      <span class="unseen">{t.up(steps)}</span>
    </span>
  ) : (
    <span class="move down">
      <span aria-hidden="true">↓ {steps}</span>
      <span class="unseen">{t.down(steps)}</span>
    </span>
  )
}

const placesOf = (hits: readonly Hit[]): Map<string, number> =>
  new Map(hits.map(({ product_id }, n) => [product_id, n]))

/** The same search with two settings side by side, with what moved from the one to the other. */
export function Compared({
  answer,
  other,
  beside,
  settings,
  ...props
}: ResultsProps & { other: SearchResponse; beside: Settings }) {
  if (!answer) return null
  const now = listShown(answer, settings)
  const kept = listShown(other, settings)
  const before = placesOf(kept)
  const after = placesOf(now)
  const moved = now.filter(({ product_id }, n) => (before.get(product_id) ?? n) !== n).length
  const added = now.filter(({ product_id }) => !before.has(product_id)).length
  const gone = kept.filter(({ product_id }) => !after.has(product_id)).length
  const sides = [
    [t.kept, describe(beside, settings), kept, other],
    [t.now, describe(settings, beside), now, answer],
  ] as const
  return (
    <div aria-busy={props.isBusy} class={props.isBusy ? 'stale' : undefined}>
      <Understood {...props} answer={answer} count={now.length} />
      <p class="told">{t.moved(formatNumber(moved), formatNumber(added), formatNumber(gone))}</p>
      <div class="compared">
        {sides.map(([heading, differences, hits, source]) => (
          <section key={heading}>
            <h2>{heading}</h2>
            <p class="muted">{differences.join(' · ') || t.sameSettings}</p>
            <Hits
              hits={hits}
              answer={source}
              store={props.store}
              settings={settings}
              mark={({ product_id }, place) =>
                hits === now ? (
                  <Move id={product_id} place={place} before={before} />
                ) : after.has(product_id) ? (
                  <span class="move muted">{t.place(formatNumber(place + 1))}</span>
                ) : (
                  <span class="move down">{t.isGone}</span>
                )
              }
            />
          </section>
        ))}
      </div>
    </div>
  )
}
