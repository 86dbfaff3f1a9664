import { DAY_MS } from '../../../../core/clock.ts'
import { LIMITS } from '../../../../core/limits.ts'
import type { ThumbnailAddresses } from '../../../catalogue/products/thumbnail-address.ts'
import type { Base } from '../../../module.ts'
import type { UnmetDemand } from '../schema.ts'
import type { UnmetCluster, UnmetQueries } from './unmet-queries.ts'

export interface UnmetPictureDeps extends Pick<Base, 'clock'> {
  queries: Pick<UnmetQueries, 'listWithThumbnail' | 'findThumbnail' | 'forgetThumbnails'>
  thumbnailAddresses: Pick<ThumbnailAddresses, 'ofSearch' | 'check'>
  /** Whether a store keeps thumbnails of query pictures that found nothing. */
  keepsUnmatched(storeId: string): boolean
}

export type UnmetPictures = ReturnType<typeof createUnmetPictures>

/** The pictures of the demand map, where a store keeps them: 30 days, and no longer than their searches. */
export function createUnmetPictures({
  queries,
  thumbnailAddresses,
  keepsUnmatched,
  clock,
}: UnmetPictureDeps) {
  return {
    isKept: keepsUnmatched,

    /** Adds the pictures of the examples. */
    addTo(storeId: string, clusters: readonly UnmetCluster[]): UnmetDemand['clusters'] {
      const ids = clusters.flatMap(({ example_search_ids }) => example_search_ids)
      const shown = keepsUnmatched(storeId) ? queries.listWithThumbnail(storeId, ids) : new Set<string>()
      return clusters.map((found) => ({
        ...found,
        example_thumbnails: found.example_search_ids
          .filter((id) => shown.has(id))
          .map(thumbnailAddresses.ofSearch),
      }))
    },

    /** The picture at a signed address; undefined for one that was altered, has ended, or whose picture is gone. */
    open(
      name: string,
      query: { until?: string; sig?: string },
    ): { webp: Buffer; seconds: number } | undefined {
      const checked = thumbnailAddresses.check(name, query)
      if (!checked) return undefined
      const found = queries.findThumbnail(toUuid(checked.hash))
      if (!found?.webp || !keepsUnmatched(found.storeId)) return undefined
      return { webp: found.webp, seconds: checked.seconds }
    },

    /** Deletes some pictures that are too old, or that the store wants no more. @returns how many. */
    forgetSome: (storeId: string, limit: number): number =>
      queries.forgetThumbnails(
        storeId,
        clock.now() + (keepsUnmatched(storeId) ? -LIMITS.unmatchedThumbnailDays * DAY_MS : 1),
        limit,
      ),
  }
}

const toUuid = (bytes: Buffer): string =>
  bytes.toString('hex').replace(/(.{8})(.{4})(.{4})(.{4})(.{12})/, '$1-$2-$3-$4-$5')
