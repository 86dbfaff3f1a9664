import { useState } from 'preact/hooks'
import type { Analytics, PageCheck, Plan, SeenPage, WidgetKey } from '#generated/api.ts'
import { call } from '../../api/client.ts'
import { formatAgo, formatMoment, formatNumber } from '../../language.ts'
import { Field } from '../../parts/field.tsx'
import { Failure } from '../../parts/panel.tsx'
import { useAction } from '../../parts/use-action.ts'
import { useLoad } from '../../parts/use-load.ts'
import { Verdict } from './address-step.tsx'
import { Events } from './events.tsx'
import { t } from './texts/texts.ts'

const DAYS = 7

interface SeenStepProps {
  store: string
  shown: WidgetKey
  plan: Plan | undefined
  mayRead: boolean
  onKey(key: WidgetKey): void
}

/** The last step: what has arrived from the shop, what is missing, and what the page of the shop looks like from here. */
export function SeenStep({ store, shown, plan, mayRead, onKey }: SeenStepProps) {
  const { id, origins, seen, refused_today, rate_per_minute } = shown
  const [analytics] = useLoad<Analytics | null>(
    async (signal) =>
      mayRead
        ? call('GET /v1/search/analytics', { query: { days: DAYS, lists: 0, key_id: id }, signal })
        : null,
    [seen.map(({ last_search_at }) => last_search_at).join()],
  )
  const sources = analytics.state === 'there' ? (analytics.value?.by_source ?? []) : []
  const budget = rate_per_minute ?? plan?.rate_per_minute ?? null
  return (
    <>
      <h2>{t.seen}</h2>
      <ul class="sightings">
        {origins.map((origin) => (
          <Sighting
            key={origin}
            origin={origin}
            seen={seen.find((page) => page.origin === origin)}
            counts={sources.find((source) => source.origin === origin)}
          />
        ))}
      </ul>
      <p class="muted">
        {budget !== null && `${t.budget(formatNumber(budget))} `}
        {t.refused(formatNumber(refused_today))}
      </p>
      <CheckShop id={id} origin={origins[0] ?? ''} />
      {mayRead && <Events keyId={id} store={store} onKey={onKey} />}
    </>
  )
}

interface SightingProps {
  origin: string
  seen: SeenPage | undefined
  counts: { searches: number; clicks: number } | undefined
}

function Sighting({ origin, seen, counts }: SightingProps) {
  const { host } = new URL(origin)
  const last = latest(seen)
  if (!seen || last === null)
    return (
      <li data-good="false">
        <span>{t.notSeen(host)}</span>
      </li>
    )
  return (
    <li data-good="true">
      <span>
        <strong title={formatMoment(last)}>{t.seenOn(host, formatAgo(last))}</strong>
        {counts && <> · {t.counts(formatNumber(counts.searches), formatNumber(counts.clicks))}</>}
      </span>
      <Missing seen={seen} />
    </li>
  )
}

/** The moment of the last sign of life. */
function latest(seen: SeenPage | undefined): string | null {
  if (!seen) return null
  const { last_search_at, last_click_at, last_cart_at, last_purchase_at } = seen
  const moments = [last_search_at, last_click_at, last_cart_at, last_purchase_at].filter(
    (one) => one !== null,
  )
  return moments.sort().at(-1) ?? null
}

const LINES = {
  carts: "ServiceWidget.trackAddToCart('PRODUCT_ID')",
  purchases:
    "ServiceWidget.trackPurchase('PRODUCT_ID', { order_value: 39.8, currency: 'EUR', quantity: 2, order_id: 'ORDER' })",
}

/** The first kind of event that does not arrive although the one before it does, with the line that cures it. */
function Missing({ seen: { last_click_at, last_cart_at, last_purchase_at } }: { seen: SeenPage }) {
  if (last_click_at === null) return <p class="muted">{t.addLine.clicks}</p>
  const missing = last_cart_at === null ? 'carts' : last_purchase_at === null ? 'purchases' : null
  if (missing === null) return null
  return (
    <>
      <p class="muted">{t.addLine[missing]}</p>
      <pre class="snippet">
        <code>{LINES[missing]}</code>
      </pre>
    </>
  )
}

/** Looks at a page of the shop as a stranger would, and says what was found. */
function CheckShop({ id, origin }: { id: string; origin: string }) {
  const [url, setUrl] = useState(`${origin}/`)
  const [found, setFound] = useState<PageCheck | null>(null)
  const check = useAction(async () => {
    setFound(null)
    setFound(await call('POST /v1/security/public-keys/{id}/check', { path: { id }, body: { url } }))
  })
  const why = t.why[String(check.error?.details['reason'] ?? check.error?.code)]
  return (
    <form
      class="look-at-shop"
      onSubmit={(event) => {
        event.preventDefault()
        check.run()
      }}
    >
      <div class="beside">
        <Field
          label={t.checkAddress}
          hint={t.checkHint}
          value={url}
          onValue={setUrl}
          inputMode="url"
          maxLength={2_000}
          required
        />
        <button type="submit" disabled={check.isBusy}>
          {check.isBusy ? t.checking : t.check}
        </button>
      </div>
      {found && <Found found={found} />}
      {check.error && why && <p class="wrong">{t.unreachable(url, why)}</p>}
      {check.error && <Failure error={check.error} />}
    </form>
  )
}

function Found({ found: { snippet, key_matches, origin_listed, csp } }: { found: PageCheck }) {
  const facts: [name: 'snippet' | 'key' | 'origin' | 'policy', isGood: boolean][] = [['snippet', snippet]]
  if (snippet) facts.push(['key', key_matches])
  facts.push(['origin', origin_listed], ['policy', csp.length === 0])
  return (
    <div role="status">
      <ul class="verdicts">
        {facts.map(([name, isGood]) => (
          <Verdict key={name} isGood={isGood}>
            {t.facts[name][isGood ? 0 : 1]}
            {name === 'policy' && csp.join(', ')}
          </Verdict>
        ))}
      </ul>
      {!snippet && <p class="muted">{t.byScript}</p>}
    </div>
  )
}
