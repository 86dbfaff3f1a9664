import type { Actor } from '../../../core/actor.ts'
import { type Clock, isoTime } from '../../../core/clock.ts'
import type { SecurityQueries } from './queries.ts'
import type { Recommendation, SecurityOverview } from './schema.ts'

export interface SecurityDeps {
  queries: SecurityQueries
  clock: Clock
  twoFactor: {
    isEnabled(userId: string): boolean
    /** Members of a store, and those of them with a second factor. */
    members(storeId: string): { total: number; enabled: number }
  }
  apiKeys: {
    counts(storeId: string, now: number): SecurityOverview['api_keys']
    /** Keys that have not expired and whose makers have left the store. */
    countOfFormerMembers(storeId: string, now: number): number
  }
  widgetKeys: { count(storeId: string): number }
  ipList: { count(storeId: string): number }
}

export type SecurityService = ReturnType<typeof overviewService>

/** How well a store is locked, in numbers (contract 5.8). */
export function overviewService(deps: SecurityDeps) {
  const { queries, clock, twoFactor, apiKeys, widgetKeys, ipList } = deps

  return {
    overview({ storeId, userId, role }: Actor): SecurityOverview {
      const now = clock.now()
      const members = twoFactor.members(storeId)
      const isOwnEnabled = userId === null ? null : twoFactor.isEnabled(userId)
      const isCallerOneOfThem = isOwnEnabled === false && role !== null
      const entries = ipList.count(storeId)
      const { sessions, lastLoginAt } = queries.signIns(storeId, now)
      const keys = apiKeys.counts(storeId, now)
      const facts: Facts = {
        isOwnMissing: isOwnEnabled === false,
        othersMissing: members.total - members.enabled - (isCallerOneOfThem ? 1 : 0),
        keys,
        keysOfFormerMembers: apiKeys.countOfFormerMembers(storeId, now),
        hasIpList: entries > 0,
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
        // There can be none in this version; clients may rely on the field (contract 5.8).
        webhooks: { active: 0, failing: 0 },
        sessions,
        last_login_at: lastLoginAt === null ? null : isoTime(lastLoginAt),
        recommendations: recommendationsFor(facts),
      }
    },
  }
}

interface Facts {
  isOwnMissing: boolean
  /** Members beside the caller who have no second factor. */
  othersMissing: number
  keys: SecurityOverview['api_keys']
  keysOfFormerMembers: number
  hasIpList: boolean
}

/** The most important first. */
function recommendationsFor(facts: Facts): Recommendation[] {
  const { isOwnMissing, othersMissing, keys, keysOfFormerMembers, hasIpList } = facts
  const advice: [isDue: boolean, code: string, message: string][] = [
    [isOwnMissing, 'enable_2fa', 'Switch two-factor authentication on for your own account.'],
    [
      othersMissing > 0,
      'members_without_2fa',
      `Ask ${counted(othersMissing, 'other member')} to switch two-factor authentication on.`,
    ],
    [
      keysOfFormerMembers > 0,
      'keys_of_former_members',
      `Revoke ${counted(keysOfFormerMembers, 'API key')} that former members made and that can do nothing any more.`,
    ],
    [
      keys.expiring_30d > 0,
      'api_keys_expiring',
      `Renew ${counted(keys.expiring_30d, 'API key')}: the end comes within 30 days.`,
    ],
    [
      keys.unused_90d > 0,
      'api_keys_unused',
      `Revoke ${counted(keys.unused_90d, 'API key')} that nobody has used for 90 days, unless you need them.`,
    ],
    // People work from everywhere; programs with keys have addresses that do not change.
    [
      keys.active > 0 && !hasIpList,
      'no_ip_whitelist',
      `List the addresses that ${counted(keys.active, 'API key')} may be used from, so that a stolen key opens nothing.`,
    ],
  ]
  return advice.filter(([isDue]) => isDue).map(([, code, message]) => ({ code, message }))
}

const counted = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? '' : 's'}`
