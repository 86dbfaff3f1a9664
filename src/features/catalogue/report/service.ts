import { isoTime } from '../../../core/clock.ts'
import type { Base } from '../../module.ts'
import type { KeptReport } from './maker.ts'
import type { ReportQueries } from './queries.ts'
import { type CatalogueReport, FINDING_KINDS } from './schema.ts'
import { sayFinding, sayReason } from './sentences.ts'

export interface ReportDeps extends Pick<Base, 'clock'> {
  queries: Pick<ReportQueries, 'find' | 'ask' | 'findNames'>
  addThumbnailUrls<Item extends { product_id: string | null }>(
    storeId: string,
    items: readonly Item[],
  ): (Item & { thumbnail_url: string | null })[]
  /** Makes the reports that somebody waits for, soon. */
  wake(): void
}

export type ReportService = ReturnType<typeof reportService>

const EMPTY: KeptReport = { products: 0, compared: 0, findings: [] }

/** Shows the report about a store's catalogue (contract 2.15), and asks for a new one. */
export function reportService({ queries, clock, addThumbnailUrls, wake }: ReportDeps) {
  const timeOf = (ms: number | null | undefined): string | null => (ms == null ? null : isoTime(ms))

  return {
    read(storeId: string): CatalogueReport {
      const row = queries.find(storeId)
      const kept = row?.report == null ? EMPTY : (JSON.parse(row.report) as KeptReport)
      const ids = kept.findings.flatMap(({ products }) => products.map(({ productId }) => productId))
      const names = queries.findNames(storeId, [...new Set(ids)])
      const findings = FINDING_KINDS.flatMap((kind) => {
        const found = kept.findings.find((one) => one.kind === kind)
        if (!found) return []
        // What could not be loaded may never have become a product.
        const named = found.products.filter(({ productId }) => kind === 'dead_link' || names.has(productId))
        const shown = named.map((product) => ({
          product_id: product.productId,
          name: names.get(product.productId) ?? null,
          reason: sayReason(kind, product),
          data: product.data,
        }))
        const count = found.count - (found.products.length - named.length)
        if (count === 0) return []
        return [{ kind, count, products: addThumbnailUrls(storeId, shown), text: sayFinding(kind, count) }]
      })
      return {
        state: row?.askedAt != null ? 'waiting' : row?.madeAt == null ? 'none' : 'ready',
        made_at: timeOf(row?.madeAt),
        products: kept.products,
        compared: kept.compared,
        findings,
      }
    },

    /** Asks for a new report. Asked again, it changes nothing. */
    ask(storeId: string): { state: 'waiting'; made_at: string | null } {
      queries.ask(storeId, clock.now())
      wake()
      return { state: 'waiting', made_at: timeOf(queries.find(storeId)?.madeAt) }
    },
  }
}
