import { type Clock, isoTime, MINUTE_MS } from '../../../core/clock.ts'
import { ApiError, notFound, rateLimitExceeded } from '../../../core/errors.ts'
import { LIMITS } from '../../../core/limits.ts'
import { createRateWindow } from '../../../core/rate-window.ts'
import { isSecret } from '../../../core/secrets.ts'
import { createShares } from '../../../core/shares.ts'
import type { Turn } from '../../../core/turns.ts'
import type { Pages } from '../../../platform/outbound/pages.ts'
import type { WidgetKeyQueries } from '../../access/widget-keys/queries.ts'
import type { WidgetTraces } from '../../access/widget-keys/traces.ts'
import { listBlocking } from './csp.ts'
import { readPageFacts } from './page-facts.ts'
import type { CheckedAddress, PageCheck } from './schema.ts'

export interface ShopPagesDeps {
  clock: Pick<Clock, 'monotonic'>
  keys: Pick<WidgetKeyQueries, 'findById'>
  readSightings: WidgetTraces['readStore']
  pages: Pages
  turn: Turn
  baseUrl(): string
  /**
   * Reads a template for the addresses of a store's products.
   *
   * @returns the address of a product; undefined if the product lacks one of the keys.
   * @throws ApiError `validation_error`.
   */
  readTemplate(
    storeId: string,
    template: string,
  ): (productId: string, metadata: Readonly<Record<string, unknown>>) => string | undefined
  listProductIds(storeId: string, after: string, limit: number): string[]
  findMetadata(storeId: string, productId: string): Readonly<Record<string, unknown>> | undefined
}

/** Products whose addresses are tried, and those that are looked at for them. */
const ADDRESSES = 3
const LOOKED_AT_MAX = 20

export type ShopPagesService = ReturnType<typeof shopPagesService>

/** Looks at pages of shops for their merchants: is the widget there, may it work, do products have the addresses that are meant? */
export function shopPagesService(deps: ShopPagesDeps) {
  const { clock, keys, pages, turn, baseUrl } = deps
  const checks = createRateWindow(MINUTE_MS)
  const shares = createShares(LIMITS.pageChecks)

  /** @throws ApiError `rate_limit_exceeded`, `overloaded`. */
  async function inTurn<Result>(storeId: string, look: () => Promise<Result>): Promise<Result> {
    const verdict = checks.take(storeId, LIMITS.pageChecksPerMinute, clock.monotonic())
    if (!verdict.isAllowed)
      throw rateLimitExceeded(`A store may check ${verdict.limit} pages a minute`, verdict)
    const holding = shares.tryTake(storeId)
    if (!holding) throw tooManyChecks()
    try {
      return await look()
    } finally {
      holding.release()
    }
  }

  async function probe(productId: string, url: string): Promise<CheckedAddress> {
    const checked = { product_id: productId, url }
    try {
      return { ...checked, status: await pages.probe(url), failure: null }
    } catch (error) {
      if (!(error instanceof ApiError) || error.code === 'overloaded') throw error
      const reason = String(error.extras.details?.['reason'] ?? error.code)
      return { ...checked, status: null, failure: { reason, message: error.message } }
    }
  }

  function listAddresses(storeId: string, template: string): { productId: string; url: string }[] {
    const fill = deps.readTemplate(storeId, template)
    const found: { productId: string; url: string }[] = []
    for (const productId of deps.listProductIds(storeId, '', LOOKED_AT_MAX)) {
      const url = fill(productId, deps.findMetadata(storeId, productId) ?? {})
      if (url !== undefined) found.push({ productId, url })
      if (found.length === ADDRESSES) break
    }
    return found
  }

  return {
    /**
     * Checks a page of a shop. The answer says facts and nothing of the page, so nobody can read other servers through it.
     *
     * @throws ApiError `not_found`, `url_not_allowed`, `page_fetch_failed`, `rate_limit_exceeded`, `overloaded`.
     */
    async checkPage(storeId: string, keyId: string, url: string): Promise<PageCheck> {
      if (!keys.findById(storeId, keyId)) throw notFound('public_key')
      return inTurn(storeId, async () => {
        const page = await pages.read(url)
        const facts = await readPageFacts(page.html, page.url, turn)
        const key = keys.findById(storeId, keyId)
        if (!key) throw notFound('public_key')
        const service = new URL(baseUrl())
        const isOwn = (shown: string) => isSecret(shown, key.keyHash)
        // The service may have another name for shops than for itself.
        const ours = facts.snippets.filter(
          ({ src, key: shown }) => src.origin === service.origin || isOwn(shown),
        )
        const snippet = ours.find(({ key: shown }) => isOwn(shown)) ?? ours[0]
        const script = snippet?.src ?? new URL('/widget.js', service)
        const { origin } = page.url
        const seen = Object.values(deps.readSightings(storeId)(keyId, origin))
        return {
          snippet: snippet !== undefined,
          key_matches: snippet !== undefined && isOwn(snippet.key),
          origin_listed: key.origins.includes(origin),
          csp: listBlocking([...page.policies, ...facts.policies], {
            page: page.url,
            script,
            nonce: snippet?.nonce,
          }),
          last_seen: seen.length > 0 ? isoTime(Math.max(...seen)) : null,
        }
      })
    },

    /**
     * Tries the addresses that a template gives the first products which have its keys.
     *
     * @throws ApiError `validation_error`, `rate_limit_exceeded`, `overloaded`.
     */
    async checkAddresses(storeId: string, template: string): Promise<CheckedAddress[]> {
      const addresses = listAddresses(storeId, template)
      return inTurn(storeId, () => Promise.all(addresses.map(({ productId, url }) => probe(productId, url))))
    },

    forgetStore: (storeId: string): void => checks.forget(storeId),
  }
}

const tooManyChecks = () =>
  new ApiError('overloaded', 'Many pages are being checked: repeat the request in a moment', {
    retryAfterSeconds: 5,
  })
