import { isoTime } from '../../../core/clock.ts'
import { counted } from '../../../core/text.ts'
import type { EventCount, SearchCounts } from './day-queries.ts'
import { share } from './rates.ts'
import type { Analytics } from './schema.ts'
import { NO_COUNTS, SOURCE_COUNTS, type SourceCounts, type SourceRow } from './search-source-queries.ts'

/** Events of a period by action. */
export type EventCounts = ReadonlyMap<string, EventCount>

type Source = Analytics['by_source'][number]
type Tracking = Analytics['tracking']

/** A shop with this many searches has at least one click, if its clicks arrive. */
const TELLING_SEARCHES = 50

/** Widgets that are listed. */
const WIDGETS_MAX = 100

/** Origins named in one sentence. */
const NAMED_MAX = 3

/** Splits the counts of a period by search source: the widgets, and the backend as the rest. */
export function listSources(
  total: SearchCounts,
  events: EventCounts,
  widgets: readonly SourceRow[],
  days: number,
): Analytics['by_source'] {
  const of = (action: string) => events.get(action)?.events ?? 0
  const all: SourceCounts = {
    ...total,
    clicks: of('click'),
    carts: of('add_to_cart'),
    purchases: of('purchase'),
  }
  const backend: SourceCounts = { ...NO_COUNTS }
  for (const name of SOURCE_COUNTS)
    backend[name] = widgets.reduce((left, widget) => left - widget[name], all[name])
  const head = { key_id: null, key_name: null, origin: null, last_search_at: null, last_event_at: null }
  return [
    { source: 'api', ...head, ...describe(backend, 'the backend', days) },
    ...widgets
      .filter(isUsed)
      .slice(0, WIDGETS_MAX)
      .map((widget) => ({
        source: 'widget',
        key_id: widget.keyId,
        key_name: widget.keyName,
        origin: widget.origin,
        last_search_at: widget.lastSearchAt === null ? null : isoTime(widget.lastSearchAt),
        last_event_at: widget.lastEventAt === null ? null : isoTime(widget.lastEventAt),
        ...describe(widget, `the widget on ${widget.origin}`, days),
      })),
  ]
}

function describe(counts: SourceCounts, who: string, days: number) {
  const { searches, zero, clicked, carted, purchased, clicks, carts, purchases } = counts
  return {
    searches,
    zero_results: zero,
    searches_with_click: clicked,
    ctr: share(clicked, searches),
    add_to_cart_rate: share(carted, searches),
    conversion_rate: share(purchased, searches),
    clicks,
    add_to_cart: carts,
    purchases,
    tracking: describeSource(counts, who, days),
  }
}

/** False for a widget that had only keystrokes that later ones replaced. */
const isUsed = ({ searches, clicks, carts, purchases }: SourceCounts): boolean =>
  searches + clicks + carts + purchases > 0

/** One source may report the clicks on the results of another. */
function describeSource(counts: SourceCounts, who: string, days: number): Tracking {
  const { searches, clicked, clicks } = counts
  const text = `${counted(searches, 'search', 'searches')}, ${counted(clicks, 'click')} in ${counted(days, 'day')}`
  if (!isUsed(counts)) return { status: 'no_searches', message: `${text}: ${who} was not used` }
  if (searches === 0 || clicked > 0) return { status: 'ok', message: text }
  return clicks === 0
    ? { status: 'no_clicks', message: `${text}: ${who} sends no clicks` }
    : { status: 'unattributed', message: `${text}: no click of ${who} names a search of its own` }
}

/** Says whether the events of the shop arrive, in words for the merchant. */
export function describeTracking(
  searches: number,
  events: EventCounts,
  sources: readonly Source[],
  days: number,
): Tracking {
  // An event that both the backend and a page report happened once.
  const count = ({ events: told, replaced }: EventCount) => told - replaced
  const told = events.get('click')
  const click = { events: told ? count(told) : 0, attributed: told?.attributed ?? 0 }
  const purchase = events.get('purchase')
  const purchases = purchase ? count(purchase) : 0
  const counts = `${counted(searches, 'search', 'searches')}, ${counted(click.events, 'click')} in ${counted(days, 'day')}`
  const tell = (status: string, message: string) => ({ status, message })
  if (searches === 0) return tell('no_searches', `${counts}: no search was counted yet`)
  const silent = sources.filter(({ tracking }) => tracking.status === 'no_clicks')
  if (click.events === 0) {
    const origins = silent.map(({ origin }) => origin)
    if (origins.includes(null))
      return tell('no_clicks', `${counts}: the shop reports no clicks; send them as feedback`)
    return tell('no_clicks', `${counts}: ${nameWidgets(origins)} no clicks`)
  }
  if (click.attributed === 0)
    return tell('unattributed', `${counts}: no click names the search_id of a search of this store`)
  const telling = silent.filter(({ origin, searches: own }) => origin !== null && own >= TELLING_SEARCHES)
  if (telling.length > 0) {
    const own = telling.reduce((sum, source) => sum + source.searches, 0)
    const origins = telling.map(({ origin }) => origin)
    return tell(
      'partial',
      `${counts}: ${nameWidgets(origins)} no clicks after ${counted(own, 'search', 'searches')}`,
    )
  }
  if (purchases === 0)
    return tell(
      'no_purchases',
      `${counts}, 0 purchases: the shop reports no purchases; send them as feedback`,
    )
  return tell('ok', `${counts}, ${counted(purchases, 'purchase')}`)
}

/** Widgets as the subject of a sentence, with its verb. */
function nameWidgets(origins: readonly (string | null)[]): string {
  const different = [...new Set(origins)]
  const more = different.length - NAMED_MAX
  const named = different.slice(0, NAMED_MAX).join(', ')
  if (different.length === 1) return `the widget on ${named} sends`
  return `the widgets on ${named}${more > 0 ? ` and ${counted(more, 'other origin')}` : ''} send`
}
