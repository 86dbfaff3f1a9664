import { useEffect, useState } from 'preact/hooks'
import type { Hit, SearchRule } from '#generated/api.ts'
import { call } from '../../api/client.ts'
import { Field } from '../../parts/field.tsx'
import { Failure } from '../../parts/panel.tsx'
import { ProductTile } from '../../parts/product-tile.tsx'
import { useLoad } from '../../parts/use-load.ts'
import { t } from './texts/texts.ts'

const PAUSE_MS = 300
/** So many of each side are compared: what a shopper sees first. */
const LIMIT = 12

interface Sides {
  without: readonly Hit[]
  now: readonly Hit[]
}

/** Searches without rules and with those that are saved. Neither search counts. */
async function compare(query: string, category: string, signal: AbortSignal): Promise<Sides> {
  const search = async (rules: boolean) => {
    const common = { limit: LIMIT, cutoff: 'auto' as const, explain: true, analytics: false, rules }
    const narrow = category === '' ? {} : { category }
    const { results } =
      query === ''
        ? await call('POST /v1/search/filtered', { body: { ...common, ...narrow }, signal })
        : await call('POST /v1/search/text', { body: { query, ...common, ...narrow }, signal })
    return results
  }
  const [without, now] = await Promise.all([search(false), search(true)])
  return { without, now }
}

/** The results of a query without rules and with them, side by side. @param asked the conditions of a rule to look at. */
export function Preview({ asked, round }: { asked: SearchRule['when'] | null; round: number }) {
  const [words, setWords] = useState('')
  const [category, setCategory] = useState('')
  const [sent, setSent] = useState({ words: '', category: '' })
  useEffect(() => {
    if (!asked) return
    setWords((asked.words?.[0] ?? '').replaceAll('"', ''))
    setCategory(asked.category ?? '')
    document.querySelector('.before-after')?.scrollIntoView({ block: 'start' })
  }, [asked])
  useEffect(() => {
    const timer = setTimeout(() => setSent({ words: words.trim(), category: category.trim() }), PAUSE_MS)
    return () => clearTimeout(timer)
  }, [words, category])
  const isAsked = sent.words !== '' || sent.category !== ''
  const [loaded, retry] = useLoad<Sides | null>(
    async (signal) => (isAsked ? compare(sent.words, sent.category, signal) : null),
    [sent, round],
  )
  return (
    <section class="before-after" aria-label={t.preview}>
      <h2>{t.preview}</h2>
      <p class="muted section-lead">{t.previewHint}</p>
      <div class="when-fields">
        <Field label={t.previewWords} type="search" maxLength={500} value={words} onValue={setWords} />
        <Field label={t.category} maxLength={500} value={category} onValue={setCategory} />
      </div>
      {loaded.state === 'failed' && <Failure error={loaded.error} onRetry={retry} />}
      <div aria-busy={loaded.state === 'loading'}>
        {loaded.state === 'there' && loaded.value && <Sides sides={loaded.value} />}
      </div>
    </section>
  )
}

function Sides({ sides: { without, now } }: { sides: Sides }) {
  const before = new Map(without.map(({ product_id }, n) => [product_id, n]))
  const after = new Set(now.map(({ product_id }) => product_id))
  const isSame =
    now.length === without.length && now.every(({ product_id }, n) => before.get(product_id) === n)
  return (
    <>
      <p role="status">{isSame ? t.sameOrder : t.otherOrder}</p>
      <div class="sides">
        <section>
          <h3>{t.withoutRules}</h3>
          <Tiles
            hits={without}
            mark={({ product_id }) => (after.has(product_id) ? null : t.leaves(String(LIMIT)))}
          />
        </section>
        <section>
          <h3>{t.withRules}</h3>
          <Tiles
            hits={now}
            mark={({ product_id, explain }, n) =>
              [
                before.get(product_id) === n ? null : t.wasAt(placeOf(before.get(product_id))),
                ...(explain?.rules ?? []).map(({ name }) => name),
              ]
                .filter(Boolean)
                .join(' · ')
            }
          />
        </section>
      </div>
    </>
  )
}

const placeOf = (place: number | undefined): string => (place === undefined ? '–' : String(place + 1))

const Tiles = ({ hits, mark }: { hits: readonly Hit[]; mark(hit: Hit, place: number): string | null }) => (
  <ol class="grid small">
    {hits.map((hit, n) => (
      <li key={hit.product_id}>
        <ProductTile id={hit.product_id} src={hit.thumbnail_url} metadata={hit.metadata}>
          <span class="muted state" dir="auto">
            {mark(hit, n)}
          </span>
        </ProductTile>
      </li>
    ))}
  </ol>
)
