import type { Permission, StorePower } from '../../../core/actor.ts'
import { isoTimeOrNull } from '../../../core/clock.ts'
import { counted, groupThousands } from '../../../core/text.ts'
import type { Usage } from '../../billing/usage/schema.ts'
import type { StoreFields } from '../../catalogue/filters/fields/schema.ts'
import type { UnmetDemand } from '../../discovery/analytics/schema.ts'
import type { FailingFeeds, FailingWebhooks, ReportedCounts, ToldJob } from './queries.ts'
import { type Notice, type NoticeKind, SEVERITIES } from './schema.ts'

/** Searches of some days, and whether their events arrive. */
export interface SearchHealth {
  days: number
  searches: number
  zero: number
  tracking: { status: string; message: string }
}

/** What is known about a store. Undefined where the caller may not know it, or nobody has looked. */
export interface Facts {
  failedJob: ToldJob | undefined
  lastImport: ToldJob | undefined
  report: ReportedCounts | undefined
  feeds: FailingFeeds
  webhooks: FailingWebhooks
  health: SearchHealth
  unmet: UnmetDemand
  fields: StoreFields | undefined
  hasAddresses: boolean
  usage: Pick<Usage, 'warnings'>
  keys: { expiring_30d: number }
  keysOfFormerMembers: number
  members: { total: number; enabled: number }
  /** null for a caller who is no person. */
  isOwnFactorOn: boolean | null
}

interface Draft extends Omit<Notice, 'since' | 'severity'> {
  needs: Permission | StorePower
  severity: Notice['severity'] | undefined
  since?: number | null
}

/** Products of a store from which on a share says something. */
const PRODUCTS_MIN = 10
/** The share of products without a field that is worth a line, and the one that is worth a warning. */
const SHARE_TOLD = 0.2
const SHARE_WARNED = 0.5
/** Searches that say something about a shop, and the share of empty ones that is too much. */
const SEARCHES_MIN = 50
const EMPTY_SHARE = 0.2
const UNMET_MIN = 20
/** Failures of a feed in a row that are no accident. */
const FEED_FAILURES_MAX = 3
const WARNINGS_SHOWN = 3
const WARNING_CHARS_MAX = 300

/** Finds what a store should know, errors first. @param may whether the caller holds a right. */
export function listNotices(facts: Facts, may: (right: Permission | StorePower) => boolean): Notice[] {
  const drafts = [
    ...listJobs(facts),
    ...listFeeds(facts.feeds),
    ...listProducts(facts),
    ...listReport(facts),
    ...listSearches(facts),
    ...listLimits(facts),
    ...listAccess(facts),
  ]
  return drafts
    .flatMap(({ needs, severity, since = null, ...notice }): Notice[] =>
      severity && may(needs) ? [{ ...notice, severity, since: isoTimeOrNull(since) }] : [],
    )
    .sort((a, b) => SEVERITIES.indexOf(b.severity) - SEVERITIES.indexOf(a.severity))
}

function listReport({ report }: Facts): Draft[] {
  if (!report || report.findings === 0) return []
  const { madeAt, findings } = report
  return [
    {
      ...{ kind: 'catalogue_report', page: 'products', needs: 'products:read', since: madeAt },
      severity: 'info',
      text: `The report on the catalogue names ${counted(findings, 'thing')} to correct.`,
      data: { count: findings },
      link: '/v1/catalogue/report',
    },
  ]
}

function listJobs({ failedJob, lastImport }: Facts): Draft[] {
  const drafts: Draft[] = []
  if (failedJob) {
    const { jobId: job_id, failed, total, finishedAt } = failedJob
    drafts.push({
      ...{ kind: 'items_failed', page: 'products', needs: 'products:read', since: finishedAt },
      severity: failed === total ? 'error' : 'warning',
      text: `${groupThousands(failed)} of ${counted(total, 'product')} failed in the last job with failures.`,
      data: { job_id, failed, total },
      link: `/v1/jobs/${job_id}/errors`,
    })
  }
  const warnings = lastImport ? (JSON.parse(lastImport.warnings) as unknown[]).map(String) : []
  if (lastImport && warnings.length > 0) {
    const { jobId: job_id, finishedAt } = lastImport
    drafts.push({
      ...{ kind: 'import_warnings', page: 'import', needs: 'products:read', since: finishedAt },
      severity: 'info',
      text: `The last import has ${counted(warnings.length, 'warning')}: ${(warnings[0] ?? '').slice(0, WARNING_CHARS_MAX)}`,
      data: {
        job_id,
        count: warnings.length,
        warnings: warnings.slice(0, WARNINGS_SHOWN).map((text) => text.slice(0, WARNING_CHARS_MAX)),
      },
      link: `/v1/jobs/${job_id}`,
    })
  }
  return drafts
}

function listFeeds({ failing, failingId, failures, stopped, stoppedId }: FailingFeeds): Draft[] {
  const page = { page: 'feeds', needs: 'products:read' } as const
  return [
    {
      ...{ kind: 'feeds_failing', ...page },
      severity: failing === 0 ? undefined : failures >= FEED_FAILURES_MAX ? 'error' : 'warning',
      text: `${counted(failing, 'feed')} could not be read, for ${counted(failures, 'run')} in a row at most.`,
      data: { feeds: failing, feed_id: failingId, failures },
      link: `/v1/feeds/${failingId}`,
    },
    {
      ...{ kind: 'feeds_stopped', ...page },
      severity: stopped === 0 ? undefined : 'warning',
      text: `${counted(stopped, 'feed')} deleted nothing in the last run, because too many products were missing.`,
      data: { feeds: stopped, feed_id: stoppedId },
      link: `/v1/feeds/${stoppedId}`,
    },
  ]
}

/** What many products lack. */
function listProducts({ fields, hasAddresses }: Facts): Draft[] {
  if (!fields || fields.products < PRODUCTS_MIN) return []
  const { products: total, counted_at } = fields
  const find = (name: string) => fields.fields.find(({ field }) => field === name)
  const draft = (kind: NoticeKind, products: number, what: string, more: Partial<Draft>): Draft => {
    const share = products / total
    return {
      ...{ kind, page: 'products', needs: 'products:read' },
      severity: share < SHARE_TOLD ? undefined : share < SHARE_WARNED ? 'info' : 'warning',
      text: `${groupThousands(products)} of ${groupThousands(total)} products ${what}.`,
      data: { products, total, percent: Math.round(100 * share), counted_at },
      link: '/v1/store/fields',
      ...more,
    }
  }
  const lacking = (kind: NoticeKind, field: string, what: string) =>
    draft(kind, total - (find(field)?.products ?? 0), what, {})
  const countOf = (field: string, wanted: readonly unknown[]) =>
    (find(field)?.values ?? []).reduce(
      (sum, { value, count }) => (wanted.includes(value) ? sum + count : sum),
      0,
    )
  const soldOut = Math.max(
    countOf('in_stock', [false]),
    countOf('availability', ['out_of_stock', 'out of stock']),
    countOf('stock', [0]),
  )
  const sold = draft('products_sold_out', soldOut, 'are sold out', {})
  return [
    lacking('products_without_name', 'name', 'have no name'),
    lacking('products_without_price', 'price', 'have no price'),
    lacking('products_without_category', 'category', 'have no category'),
    ...(hasAddresses
      ? []
      : [lacking('products_without_address', 'url', 'lead nowhere: they have no address')]),
    { ...sold, severity: soldOut / total < SHARE_WARNED ? undefined : 'info' },
  ]
}

const KIND_OF_STATUS: Readonly<Record<string, NoticeKind>> = {
  no_clicks: 'no_clicks',
  unattributed: 'clicks_unattributed',
  partial: 'clicks_partial',
  no_purchases: 'no_purchases',
}

function listSearches({ health, unmet }: Facts): Draft[] {
  const { days, searches, zero, tracking } = health
  const page = { page: 'analytics', needs: 'search:read' } as const
  const kind = KIND_OF_STATUS[tracking.status]
  const isTelling = searches >= SEARCHES_MIN
  const lost = unmet.searches
  return [
    ...(kind
      ? [
          {
            ...{ kind, ...page, text: `${tracking.message}.`, link: '/v1/search/analytics' },
            severity: isTelling && kind !== 'no_purchases' ? ('warning' as const) : ('info' as const),
            data: { days, searches },
          },
        ]
      : []),
    {
      ...{ kind: 'empty_searches', ...page, link: '/v1/search/history?zero_results=true' },
      severity: isTelling && zero >= EMPTY_SHARE * searches ? 'warning' : undefined,
      text: `${groupThousands(zero)} of ${counted(searches, 'search', 'searches')} in ${counted(days, 'day')} found nothing.`,
      data: { days, searches, zero_results: zero },
    },
    {
      ...{ kind: 'unmet_demand', ...page, link: '/v1/search/analytics/unmet' },
      severity: lost >= UNMET_MIN ? 'info' : undefined,
      text: `Shoppers showed ${counted(lost, 'picture')} for which the store had nothing alike.`,
      data: { searches: lost },
    },
  ]
}

const listLimits = ({ usage }: Facts): Draft[] =>
  usage.warnings.map(({ resource, used, limit, percent, message }) => ({
    ...{
      kind: resource === 'products' ? 'products_near_limit' : 'storage_near_limit',
      page: 'plan',
      needs: 'billing:read',
      link: '/v1/billing/usage',
    },
    severity: used >= limit ? 'error' : 'warning',
    text: `${message}.`,
    data: { used, limit, percent },
  }))

function listAccess(facts: Facts): Draft[] {
  const { keys, keysOfFormerMembers, webhooks, members, isOwnFactorOn } = facts
  const missing = members.total - members.enabled - (isOwnFactorOn === false ? 1 : 0)
  const ofKeys = { page: 'keys', needs: 'keys:manage', link: '/v1/security/api-keys' } as const
  return [
    {
      ...{ kind: 'webhooks_failing', page: 'webhooks', needs: 'search:read', link: '/v1/search/webhooks' },
      severity: webhooks.disabled > 0 ? 'error' : webhooks.failing > 0 ? 'warning' : undefined,
      text: `Deliveries to ${counted(webhooks.failing, 'webhook')} fail${webhooks.disabled > 0 ? `; ${webhooks.disabled} switched off for it` : ''}.`,
      data: { webhooks: webhooks.failing, disabled: webhooks.disabled },
      since: webhooks.since,
    },
    {
      ...{ kind: 'api_keys_expiring', ...ofKeys, severity: keys.expiring_30d > 0 ? 'warning' : undefined },
      text: `${counted(keys.expiring_30d, 'API key')} will expire within 30 days.`,
      data: { keys: keys.expiring_30d },
    },
    {
      ...{ kind: 'api_keys_of_former_members', ...ofKeys },
      severity: keysOfFormerMembers > 0 ? 'info' : undefined,
      text: `${counted(keysOfFormerMembers, 'API key')} of former members can do nothing any more.`,
      data: { keys: keysOfFormerMembers },
    },
    {
      ...{ kind: 'own_2fa_missing', page: 'team', needs: 'search:read', link: '/v1/security/2fa/setup' },
      severity: isOwnFactorOn === false ? 'info' : undefined,
      text: 'Your account has no second factor.',
      data: {},
    },
    {
      ...{ kind: 'members_without_2fa', page: 'team', needs: 'security:read', link: '/v1/team/members' },
      severity: missing > 0 ? 'info' : undefined,
      text: `${counted(missing, isOwnFactorOn === false ? 'other member' : 'member')} without a second factor.`,
      data: { members: missing },
    },
  ]
}
