import { ApiError, missingPermission } from '../../../core/errors.ts'
import { storeNotHere } from '../../../core/move-errors.ts'
import type { PlanName } from '../../../core/plans.ts'
import { hashSecret, isSecret } from '../../../core/secrets.ts'
import { widgetSuspended } from '../../../http/suspension.ts'
import type { StoreQueries } from '../../stores/stores/queries.ts'
import type { WidgetKeyQueries } from './queries.ts'
import type { WidgetUse } from './schema.ts'

/** The key that a widget's request came with: its store, the size of its budget, and what it may find. */
export interface AdmittedWidget {
  keyId: string
  storeId: string
  plan: PlanName
  /** null: the limit of the plan. */
  ratePerMinute: number | null
  /** In the filter language; null lets every product pass. */
  forcedFilters: unknown
  /** Of the page that asks. */
  origin: string
}

/** The parts that the check of a widget's request needs. */
export interface AdmissionDeps {
  queries: Pick<WidgetKeyQueries, 'findByHash'>
  findMovedByKey: StoreQueries['findMovedByKey']
  /** Learns of what is refused to a key. */
  noteRefusal(keyId: string): void
}

/** Creates the check of a request that came from a web page. */
export const createWidgetAdmission =
  ({ queries, findMovedByKey, noteRefusal }: AdmissionDeps) =>
  /**
   * Admits a request of a widget (contract 4.11).
   *
   * @param origin the Origin header; null if the request has none.
   * @throws ApiError `unauthorized` for an unknown key, `store_not_here`, `origin_missing`, `origin_not_allowed`, `store_suspended`,
   * `permission_denied` when the key does not allow that use.
   */
  (key: string, origin: string | null, use: WidgetUse): AdmittedWidget => {
    const row = queries.findByHash(hashSecret(key))
    // The page learns it whatever its origin: the other node judges that.
    const moved = row ? undefined : findMovedByKey('widget_key', hashSecret(key))
    if (moved) throw storeNotHere(moved.slug, moved.url)
    if (!isSecret(key, row?.keyHash) || !row)
      throw new ApiError('unauthorized', 'No store has this widget key. Find it with: lookalike key list')
    if (!origin) {
      throw new ApiError(
        'origin_missing',
        'The request has no Origin header: serve the page over http or https',
      )
    }
    const refuse = (error: ApiError): ApiError => {
      noteRefusal(row.id)
      return error
    }
    // Sandboxed frames and local files send "null", whichever page they belong to.
    if (origin === 'null' || !row.origins.includes(origin)) {
      throw refuse(
        new ApiError(
          'origin_not_allowed',
          'The widget key does not list this origin. Add it with PATCH /v1/security/public-keys/{id}, or make another key: lookalike key create',
        ),
      )
    }
    if (row.isSuspended) throw widgetSuspended()
    if (!row.allowed.includes(use)) throw refuse(missingPermission(`widget:${use}`))
    const { id: keyId, storeId, plan, ratePerMinute, forcedFilters } = row
    return { keyId, storeId, plan, ratePerMinute, forcedFilters, origin }
  }
