import type { AdminStore } from '#generated/api.ts'
import { formatAgo, formatMoment, formatNumber } from '../../language.ts'
import { t } from './texts/texts.ts'

export const describeProducts = ({ products, max_products }: AdminStore): string =>
  max_products === null
    ? formatNumber(products)
    : t.countOf(formatNumber(products), formatNumber(max_products))

export const LastFeed = ({ last_feed }: AdminStore) =>
  last_feed ? (
    <span title={formatMoment(last_feed.finished_at)}>
      {last_feed.status === 'failed' && <span class="state problem">{t.feedFailed} </span>}
      {formatAgo(last_feed.finished_at)}
    </span>
  ) : (
    <span class="muted">{t.noFeed}</span>
  )
