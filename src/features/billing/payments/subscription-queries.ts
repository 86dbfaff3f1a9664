import type { PlanName } from '../../../core/plans.ts'
import type { Db } from '../../../platform/db/open.ts'

/** A subscription at the provider, as it was read last. Moments are Unix ms. */
export interface SubscriptionRow {
  id: string
  storeId: string
  customer: string
  plan: PlanName
  status: string
  /** Whether the store gets the plan. */
  isLive: boolean
  /** Whether it ends with the period. */
  willEnd: boolean
  createdAt: number
  periodEnd: number
}

type Stored = Omit<SubscriptionRow, 'isLive' | 'willEnd'> & Record<'isLive' | 'willEnd', 0 | 1>

const SUBSCRIPTION = `id, store_id AS storeId, customer, plan, status, is_live AS isLive, will_end AS willEnd,
  created_at AS createdAt, period_end AS periodEnd`

export type SubscriptionQueries = ReturnType<typeof subscriptionQueries>

/** All SQL about subscriptions, and about the events that told of them. */
export function subscriptionQueries(db: Db) {
  const one = db.prepare<[id: string], Stored>(`SELECT ${SUBSCRIPTION} FROM subscriptions WHERE id = ?`)
  const live = db.prepare<[storeId: string], Stored>(`
    SELECT ${SUBSCRIPTION} FROM subscriptions WHERE store_id = ? AND is_live = 1 ORDER BY created_at DESC, id DESC`)
  const latest = db.prepare<[storeId: string], { customer: string }>(`
    SELECT customer FROM subscriptions WHERE store_id = ? ORDER BY is_live DESC, created_at DESC, id DESC LIMIT 1`)
  const surplus = db.prepare<[limit: bigint], { storeId: string }>(`
    SELECT store_id AS storeId FROM subscriptions WHERE is_live = 1 GROUP BY store_id HAVING count(*) > 1 LIMIT ?`)
  const save = db.prepare(`
    INSERT INTO subscriptions (id, store_id, customer, plan, status, is_live, will_end, created_at, period_end)
    VALUES (@id, @storeId, @customer, @plan, @status, @live, @ending, @createdAt, @periodEnd)
    ON CONFLICT (id) DO UPDATE SET customer = excluded.customer, plan = excluded.plan, status = excluded.status,
      is_live = excluded.is_live, will_end = excluded.will_end, period_end = excluded.period_end`)
  const end = db.prepare("UPDATE subscriptions SET is_live = 0, status = 'canceled' WHERE id = ?")
  const event = db.prepare<[id: string], { found: 1 }>('SELECT 1 AS found FROM provider_events WHERE id = ?')
  const addEvent = db.prepare('INSERT OR IGNORE INTO provider_events (id, received_at) VALUES (?, ?)')
  const pruneEvents = db.prepare('DELETE FROM provider_events WHERE received_at < ?')

  return {
    find: (id: string): SubscriptionRow | undefined => parseOptional(one.get(id)),
    /** Lists what a store gets a plan by, newest first. There is more than one while a new one takes the place of an old one. */
    listLive: (storeId: string): SubscriptionRow[] => live.all(storeId).map(parse),
    /** The provider's id of who pays, or paid last. */
    findCustomer: (storeId: string): string | undefined => latest.get(storeId)?.customer,
    /** Lists stores that pay twice. */
    listSurplus: (limit: number): string[] => surplus.all(BigInt(limit)).map(({ storeId }) => storeId),
    save: ({ isLive, willEnd, ...row }: SubscriptionRow): void =>
      void save.run({ ...row, live: isLive ? 1 : 0, ending: willEnd ? 1 : 0 }),
    /** Notes that a subscription was ended by us. */
    end: (id: string): void => void end.run(id),

    hasEvent: (id: string): boolean => event.get(id) !== undefined,
    addEvent: (id: string, now: number): void => void addEvent.run(id, BigInt(now)),
    pruneEvents: (before: number): void => void pruneEvents.run(BigInt(before)),
  }
}

const parse = ({ isLive, willEnd, ...row }: Stored): SubscriptionRow => ({
  ...row,
  isLive: isLive === 1,
  willEnd: willEnd === 1,
})

const parseOptional = (row: Stored | undefined) => row && parse(row)
