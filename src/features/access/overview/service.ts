import type { Actor } from '../../../core/actor.ts'
import { isoTime } from '../../../core/clock.ts'
import { counted } from '../../../core/text.ts'
import type { WebhookService } from '../../delivery/webhooks/service.ts'
import type { Base } from '../../module.ts'
import type { ApiKeyService } from '../api-keys/service.ts'
import type { IpAllowlistService } from '../ip-allowlist/service.ts'
import type { TwoFactorService } from '../two-factor/service.ts'
import type { WidgetKeyService } from '../widget-keys/service.ts'
import type { OverviewQueries } from './queries.ts'
import type { Recommendation, SecurityOverview } from './schema.ts'

export interface OverviewDeps extends Pick<Base, 'clock'> {
  queries: OverviewQueries
  twoFactor: Pick<TwoFactorService, 'isEnabled' | 'countMembers'>
  apiKeys: Pick<ApiKeyService, 'countByState' | 'countByFormerMembers'>
  widgetKeys: Pick<WidgetKeyService, 'count'>
  ipAllowlist: Pick<IpAllowlistService, 'count'>
  webhooks: Pick<WebhookService, 'countByState'>
}

export type OverviewService = ReturnType<typeof overviewService>

/** Summarizes the security of a store in numbers (contract 5.8). */
export function overviewService(deps: OverviewDeps) {
  const { queries, clock, twoFactor, apiKeys, widgetKeys, ipAllowlist } = deps

  return {
    summarize({ storeId, userId, role }: Actor): SecurityOverview {
      const now = clock.now()
      const members = twoFactor.countMembers(storeId)
      const isOwnEnabled = userId === null ? null : twoFactor.isEnabled(userId)
      const isCallerMissing = isOwnEnabled === false && role !== null
      const entries = ipAllowlist.count(storeId)
      const { sessions, lastLoginAt } = queries.summarizeSignIns(storeId, now)
      const keys = apiKeys.countByState(storeId, now)
      const webhooks = deps.webhooks.countByState(storeId)
      const facts: Facts = {
        isOwnMissing: isOwnEnabled === false,
        othersMissing: members.total - members.enabled - (isCallerMissing ? 1 : 0),
        isMember: role !== null,
        keys,
        keysOfFormerMembers: apiKeys.countByFormerMembers(storeId, now),
        hasIpAllowlist: entries > 0,
        failingWebhooks: webhooks.failing,
      }
      return {
        two_factor: {
          enabled: isOwnEnabled,
          members_total: members.total,
          members_enabled: members.enabled,
        },
        api_keys: keys,
        public_keys: widgetKeys.count(storeId),
        ip_whitelist: { enabled: entries > 0, entries },
        webhooks,
        sessions,
        last_login_at: lastLoginAt === null ? null : isoTime(lastLoginAt),
        recommendations: listRecommendations(facts),
      }
    },
  }
}

interface Facts {
  isOwnMissing: boolean
  /** Number of members without a second factor, except the caller. */
  othersMissing: number
  /** Whether the caller is one of the members. */
  isMember: boolean
  keys: SecurityOverview['api_keys']
  keysOfFormerMembers: number
  hasIpAllowlist: boolean
  failingWebhooks: number
}

/** Lists recommendations, most important first. */
function listRecommendations(facts: Facts): Recommendation[] {
  const {
    isOwnMissing,
    othersMissing,
    isMember,
    keys,
    keysOfFormerMembers,
    hasIpAllowlist,
    failingWebhooks,
  } = facts
  const advice: [isDue: boolean, code: string, message: string][] = [
    [isOwnMissing, 'enable_2fa', 'Switch on two-factor authentication for your own account.'],
    [
      othersMissing > 0,
      'members_without_2fa',
      `Ask ${counted(othersMissing, isMember ? 'other member' : 'member')} to switch on two-factor authentication.`,
    ],
    [
      keysOfFormerMembers > 0,
      'keys_of_former_members',
      `Revoke ${counted(keysOfFormerMembers, 'API key')} that former members created; such a key can no longer do anything.`,
    ],
    [
      keys.expiring_30d > 0,
      'api_keys_expiring',
      `Renew ${counted(keys.expiring_30d, 'API key')}: the lifetime ends within 30 days.`,
    ],
    [
      keys.unused_90d > 0,
      'api_keys_unused',
      `Revoke ${counted(keys.unused_90d, 'API key')} that nobody has used for 90 days, unless still needed.`,
    ],
    // People work from many addresses; programs with keys have fixed ones.
    [
      keys.active > 0 && !hasIpAllowlist,
      'no_ip_whitelist',
      `List the addresses that may use ${counted(keys.active, 'API key')}, so that a stolen key is useless elsewhere.`,
    ],
    [
      failingWebhooks > 0,
      'webhooks_failing',
      `Look at ${counted(failingWebhooks, 'webhook')} whose receiver does not answer as it should.`,
    ],
  ]
  return advice.filter(([isDue]) => isDue).map(([, code, message]) => ({ code, message }))
}
