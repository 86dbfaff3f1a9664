import { DAY_MS, HOUR_MS } from '../../../core/clock.ts'
import { dateOf } from '../../../core/days.ts'
import { ApiError } from '../../../core/errors.ts'
import { localDayOf } from '../../../core/local-days.ts'
import { storePaused } from '../../../core/move-errors.ts'
import { isSoldOut } from '../../../core/sold-out.ts'
import { turn } from '../../../core/turns.ts'
import { validationError } from '../../../http/validation.ts'
import type { OutboxService } from '../../mail/outbox/service.ts'
import type { Base } from '../../module.ts'
import type { PeopleQueries } from '../../stores/people/queries.ts'
import type { OwnSettings } from '../../stores/settings/schema.ts'
import type { StoreQueries, StoreState } from '../../stores/stores/queries.ts'
import type { AnalyticsService } from '../analytics/service.ts'
import { gatherWeek, type Week } from './facts.ts'
import type { createLinks } from './links.ts'
import { weeklyMail } from './mail.ts'
import type { WeeklyMailQueries } from './queries.ts'
import type { Unsubscribed, Unsubscription } from './schema.ts'

export interface WeeklyMailDeps extends Pick<Base, 'clock' | 'atomically' | 'baseUrl' | 'log' | 'gate'> {
  queries: WeeklyMailQueries
  links: ReturnType<typeof createLinks>
  storeRows: Pick<StoreQueries, 'listStates' | 'findState'>
  people: Pick<PeopleQueries, 'listOwners'>
  outbox: Pick<OutboxService, 'isConfigured' | 'sendAfterCommit'>
  analytics: Pick<AnalyticsService, 'read' | 'popular' | 'readUnmet'>
  readSettings(storeId: string): Pick<OwnSettings, 'weekly_mail' | 'time_zone' | 'locale'>
}

/** Mails go out from this hour of a Monday on, in the zone of the store. */
const HOUR_OF_DAY = 7

/** A service that was down on Monday still sends the mail until so many days later, at the same hour. */
const LATE_DAYS = 2

/** The mail is worth sending until the next one is near. */
const WANTED_MS = 5 * DAY_MS

const OWNERS_MAX = 20
const POPULAR_MAX = 100

export type WeeklyMailService = ReturnType<typeof weeklyMailService>

/** Tells owners once a week what their customers looked for, and what to do about it. */
export function weeklyMailService(deps: WeeklyMailDeps) {
  const { queries, links, storeRows, people, outbox, analytics, readSettings } = deps
  const { clock, atomically, baseUrl, log, gate } = deps
  function isWanted(storeId: string): boolean {
    return readSettings(storeId).weekly_mail ?? outbox.isConfigured
  }

  async function gather({ id, slug }: StoreState, monday: number): Promise<Week | undefined> {
    const [from, to] = [dateOf(monday - 7), dateOf(monday - 1)]
    const report = await analytics.read(id, { from, to, compare: 'previous' })
    // Today counts, too: what is sold out is so now.
    const { products } = await analytics.popular(id, { days: 8, limit: POPULAR_MAX })
    const { clusters } = analytics.readUnmet(id, { limit: 20 })
    return gatherWeek({ store: { slug }, analytics: report, popular: products, unmet: clusters, isSoldOut })
  }

  async function sendTo(store: StoreState, monday: number): Promise<void> {
    const week = isWanted(store.id) ? await gather(store, monday) : undefined
    const locale = readSettings(store.id).locale ?? 'en'
    atomically(() => {
      // It may have been paused while the figures were read: the next run sends it.
      if (gate.isPaused(store.id)) return
      queries.note(store.id, monday)
      // The figures take a while.
      if (!week || storeRows.findState(store.id)?.suspendedAt !== null) return
      const leavers = queries.listLeavers(store.id)
      const readers = people.listOwners(store.id, OWNERS_MAX).filter(({ id }) => !leavers.has(id))
      const mails = readers.map(({ id, email }) => {
        const token = links.makeToken({ storeId: store.id, userId: id })
        return weeklyMail({ to: email, week, locale, baseUrl: baseUrl(), token })
      })
      // A thousand stores in one zone would be a thousand connections to the mail server.
      outbox.sendAfterCommit(mails, { wantedMs: WANTED_MS, mayGiveWay: true, mayWait: true })
    })
  }

  return {
    /** Sends the mails that are due, one store after the other. */
    async sendDue(): Promise<void> {
      const now = clock.now()
      if (!isDueAnywhere(now)) return
      const mondays = queries.listMondays()
      for (const store of storeRows.listStates()) {
        if (store.suspendedAt !== null || gate.isPaused(store.id)) continue
        const monday = findMonday(now, readSettings(store.id).time_zone ?? 'UTC')
        if (monday === undefined || (mondays.get(store.id) ?? 0) >= monday) continue
        await sendTo(store, monday).catch((err) =>
          log.warn({ err, store_id: store.id }, 'a weekly mail was not written'),
        )
        await turn()
      }
    },

    /** POST /unsubscribe. @throws ApiError `unauthorized` for a link that is not one of ours, `validation_error` without one. */
    unsubscribe({ token, wants_mail }: Unsubscription): Unsubscribed {
      if (token === undefined) throw required
      const subscription = links.readToken(token)
      if (!subscription)
        throw new ApiError('unauthorized', 'The link is incomplete, or not one of this service')
      const { storeId, userId } = subscription
      if (gate.isPaused(storeId)) throw storePaused()
      if (wants_mail) queries.rejoin(storeId, userId)
      else queries.leave(storeId, userId, clock.now())
      return { status: wants_mail ? 'subscribed' : 'unsubscribed' }
    },
  }
}

const required = validationError([
  { in: 'body', pointer: '/token', code: 'required', message: 'is required, here or in the query' },
])

/** 1970 began on a Thursday. */
const sinceMonday = (day: number): number => (day + 3) % 7

/** The Monday whose mail is due; undefined where none is. @param now Unix ms. */
function findMonday(now: number, timeZone: string): number | undefined {
  const day = localDayOf(now - HOUR_OF_DAY * HOUR_MS, timeZone)
  return sinceMonday(day) < LATE_DAYS ? day - sinceMonday(day) : undefined
}

/** Zones lie between 12 hours behind UTC and 14 before it. */
const isDueAnywhere = (now: number): boolean =>
  [-12, 14].some((hours) => findMonday(now + hours * HOUR_MS, 'UTC') !== undefined)
