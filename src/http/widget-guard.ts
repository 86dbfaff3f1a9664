import { Elysia } from 'elysia'
import type { ClientInfo } from '../core/actor.ts'
import { ApiError } from '../core/errors.ts'
import { refuse, type Spending } from './auth.ts'
import { rateHeaders } from './budgets/rate-headers.ts'
import type { WidgetBudget, WidgetKeyBudget, WidgetWork } from './budgets/widget-budget.ts'
import type { Incoming, ReadClientInfo } from './client-info.ts'
import type { RequestGate } from './write-gate.ts'

/** The uses of a route by a widget; a key allows some of them. */
export type WidgetUse = 'text' | 'upload' | 'url' | 'feedback'

/** A widget key that the calling page may use. */
export interface Widget extends WidgetKeyBudget {
  /** In the filter language; null lets every product pass. */
  forcedFilters: unknown
  /** The origin of the page that asks; the key lists it. */
  origin: string
  /** Whoever looks at a preview of the widget; undefined in a shop. */
  previewer?: Previewer | undefined
}

/** A person who sees the widget on a page of this service. Nothing that happens there counts. */
export interface Previewer {
  userId: string
  storeId: string
}

export interface WidgetGuardDeps {
  /**
   * Admits a key, or a preview key, from an origin.
   *
   * @throws ApiError `unauthorized`, `origin_missing`, `origin_not_allowed`, `store_suspended`, `permission_denied`; for a
   * preview key also `not_a_member`, `ip_not_allowed`.
   */
  admitWidget(key: string, origin: string | null, use: WidgetUse, readClientInfo: () => ClientInfo): Widget
  readClientInfo: ReadClientInfo
  /** The origin of this service's own pages. */
  ownOrigin?(): string
  /** Takes a search of a person's own budget. */
  spendOfPerson(previewer: Previewer): Spending | undefined
  /** Learns of a request that the budgets of visitor and key refuse. */
  noteRefusal?(keyId: string): void
  /** Holds back the feedback for a store that moves. */
  gate?: Pick<RequestGate, 'enter'> | undefined
  widgetBudget: Pick<WidgetBudget, 'spend'>
  /** Finds the client's address, also behind trusted proxies. */
  findAddress(request: Request): string
  nameOwner?(request: Request, owner: string): void
  /** Records with which widget key a request came. */
  nameCredential?(request: Request, storeId: string, credentialId: string): void
}

/** How to call a route of widgets, for the API's document. */
export const WIDGET_KEY = [{ widgetKey: [] }]

/**
 * Creates a guard that lets in the pages of a widget key, for one use, and gives the route `widget`. Each request spends the
 * visitor's budget and the key's for that work; `spendMore` takes more units of both. The store's IP list does not count: shoppers come from everywhere.
 */
export function widgetGuard(
  deps: WidgetGuardDeps,
  use: WidgetUse,
  work: WidgetWork = use === 'feedback' ? 'feedback' : 'search',
) {
  const { admitWidget, readClientInfo, widgetBudget, findAddress, nameOwner } = deps
  /** Requests whose body is being read. */
  const begun = new WeakSet<Request>()

  /**
   * Elysia asks twice about a request with a body: before parsing it and before the handler. The second time spends nothing,
   * and checks again: the key may have been deleted or changed while the body was arriving.
   */
  function judge({ request, set }: Incoming): Widget {
    set.headers['cache-control'] = 'no-store'
    const { headers } = request
    const key = headers.get('x-service-key')
    if (!key) throw new ApiError('unauthorized', 'No widget key was sent: send it as `X-Service-Key`')
    const widget = admitWidget(key, findOrigin(headers, deps.ownOrigin?.() ?? null), use, () =>
      readClientInfo({ request, set }),
    )
    if (begun.has(request)) return widget
    nameOwner?.(request, widget.storeId)
    if (!widget.previewer) deps.nameCredential?.(request, widget.storeId, widget.keyId)
    spend(widget, { request, set })
    begun.add(request)
    return widget
  }

  /** @throws ApiError `rate_limit_exceeded`. */
  function spend(widget: Widget, { request, set }: Incoming, units = 1): void {
    if (widget.previewer) {
      const spent = deps.spendOfPerson(widget.previewer)
      if (spent) Object.assign(set.headers, rateHeaders(spent.policy, spent.verdict))
      if (spent?.verdict.isAllowed === false) throw refuse(spent)
      return
    }
    try {
      widgetBudget.spend(widget, work, findAddress(request), set, units)
    } catch (error) {
      deps.noteRefusal?.(widget.keyId)
      throw error
    }
  }

  return new Elysia({ name: `http.guards.widget.${use}.${work}` })
    .onParse({ as: 'scoped' }, ({ request, set }) => {
      judge({ request, set })
    })
    .derive({ as: 'scoped' }, async ({ request, set }) => {
      let widget = judge({ request, set })
      const waiting = use === 'feedback' ? deps.gate?.enter(request, widget.storeId) : undefined
      if (waiting) {
        await waiting
        widget = judge({ request, set })
      }
      /** @throws ApiError `rate_limit_exceeded`. */
      const spendMore = (units: number): void => {
        if (units > 0) spend(widget, { request, set }, units)
      }
      return { widget, spendMore }
    })
}

/**
 * The origin of the page that asks. Browsers send none with a GET to the page's own origin, which is that of the Referer or, where
 * the page sends no such header, this service's; no script can forge the header that says so.
 */
function findOrigin(headers: Headers, own: string | null): string | null {
  const origin = headers.get('origin')
  if (origin !== null || headers.get('sec-fetch-site') !== 'same-origin') return origin
  const referer = headers.get('referer')
  return referer !== null && URL.canParse(referer) ? new URL(referer).origin : own
}
